package requirements

import "testing"

func TestDropsOfAllTables(t *testing.T) {
	for line, want := range map[string]string{
		"mysql -e 'DROP SCHEMA app'": "sql_drop", "psql -c 'drop schema if exists public cascade'": "sql_drop", "docker exec -i db psql <<E\nDROP TABLE\n  x;\nE": "sql_drop",
		`python3 -c "c.execute('DROP TABLE x')"`: "sql_drop", "npx prisma db execute --stdin <<< 'DROP TABLE x'": "sql_drop", "Q='DROP TABLE x'; psql -c \"$Q\"": "sql_drop",
		"psql -c 'DROP INDEX x'": "", "psql -c 'ALTER TABLE x DROP COLUMN schema'": "", "psql -c 'DROP VIEW v'": "", "psql -c 'DELETE FROM x'": "",
		"cat > m.sql <<'E'\nDROP SCHEMA x;\nE": "", "sudo grep -rn 'drop schema' db": "", "bash -c \"echo 'drop table x'\"": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

// PostgreSQL and MySQL take TRUNCATE without TABLE; the rule is for the statement.
func TestTruncatesWithoutTable(t *testing.T) {
	for line, want := range map[string]string{
		"psql -c 'TRUNCATE x'": "sql_truncate", "psql -c'truncate users, posts restart identity cascade'": "sql_truncate", "psql -qAtc 'TRUNCATE ONLY x'": "sql_truncate",
		`psql --command='TRUNCATE "x"'`: "sql_truncate", "psql -c 'BEGIN; TRUNCATE public.x; COMMIT'": "sql_truncate", "mysql -e 'TRUNCATE `x`'": "sql_truncate",
		`sqlcmd -Q "TRUNCATE [x]"`: "sql_truncate", "psql -c 'TRUNCATE tables_log'": "sql_truncate", "psql -c 'TRUNCATE/**/x'": "sql_truncate",
		"psql <<E\nBEGIN;\nTRUNCATE x;\nE": "sql_truncate", "psql <<< 'TRUNCATE x'": "sql_truncate", "echo 'TRUNCATE x;' | docker exec -i db psql -U u": "sql_truncate",
		"(psql) <<< 'TRUNCATE x'": "sql_truncate", "sudo -u postgres psql -c 'TRUNCATE x'": "sql_truncate", "ssh h \"psql -c 'TRUNCATE x'\"": "sql_truncate",
		"PGPASSWORD=x psql -h h -c 'TRUNCATE x'": "sql_truncate", "kubectl exec pod -- mysql -e 'truncate x'": "sql_truncate", "docker compose exec -T db psql -c \"TRUNCATE x\"": "sql_truncate",
		"psql -c \"DO $$ BEGIN TRUNCATE x; END $$\"": "sql_truncate", "psql -f x.sql -c '\\timing' -c 'TRUNCATE x'": "sql_truncate",
		"psql -c 'select truncate(1.5, 1)'": "", "mysql -e 'TRUNCATE(1.5, 1)'": "", "psql -c 'SELECT * FROM truncate_log'": "", `psql -c "SELECT 'please truncate x'"`: "",
		"psql -f truncate.sql": "", "psql -c 'TRUNCATE'": "", "truncate -s 0 users": "", "truncate users -s 0": "", "docker exec box truncate users -s 0": "",
		"ssh h truncate users -s 0": "", "node -e 'truncate x'": "", "echo 'truncate x' | python3": "", "echo 'TRUNCATE x' | (cat)": "", "grep -i 'truncate x' psql": "",
		"git commit -m 'truncate users' psql": "", "echo 'truncate x' psql": "", "psql <<< 'select 1'; python3 <<< 'truncate x'": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}
