package requirements

import (
	"regexp"
	"slices"
)

// blanks are those of SQL, where a comment is one.
const blanks = `(?:\s|/\*.*?\*/)+`

// drops finds what a database loses with all that is in it; in MySQL a schema is a database. The words decide,
// whatever program they are for.
var drops = &pattern{re: regexp.MustCompile(`(?i)(?:\b|\s-[ceq])DROP` + blanks + `(?:TABLE|DATABASE|SCHEMA)\b`)}

// truncatesTable is a statement that says TABLE.
var truncatesTable = &pattern{re: regexp.MustCompile(`(?i)(?:\b|\s-[ceq])TRUNCATE` + blanks + `TABLE\b`)}

// truncating is a statement that leaves TABLE out, as PostgreSQL and MySQL allow. The word means many things, so only
// the beginning of a statement counts, and a name must follow: `TRUNCATE(x, 1)` is a function.
var truncating = regexp.MustCompile(`(?im)(?:^|;|\bBEGIN\b|\bTHEN\b|\*/)\s*(?:-\w*[ceqQ]|--\w+=)?\s*TRUNCATE` + blanks + "[\\w\"`\\[]")

// clients are the programs that send SQL to a database which knows TRUNCATE.
var clients = setOf(`psql pgcli mysql mariadb mycli mysqlsh usql sqlcmd duckdb clickhouse clickhouse-client cockroach sqlplus snowsql bq trino presto beeline hive
	spark-sql cqlsh`)

// asksDatabase tells whether a client is named by one of the words: docker exec db psql.
func asksDatabase(args []arg) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return clients[baseName(a.text)] })
}

func truncates(line *shellLine) bool {
	return truncatesTable.matches(line) || slices.ContainsFunc(line.commands, func(c simpleCommand) bool {
		if c.sql {
			return truncating.MatchString(c.text)
		}
		return !c.printer && !masks[c.name] && asksDatabase(c.args) && slices.ContainsFunc(c.args, func(a arg) bool { return truncating.MatchString(a.text) })
	})
}
