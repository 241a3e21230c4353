package hook

import (
	"fmt"
	"testing"

	"hookline/projector/working"
)

// BenchmarkFit is the composing of a start with more files and things to do than there is room for. The goal is below 5 ms.
func BenchmarkFit(b *testing.B) {
	var files, read []working.File
	var todos []string
	for i := range 200 {
		files = append(files, working.File{Path: fmt.Sprintf("/w/a/very/long/folder%d/number/%d/file.go", i%7, i)})
		read = append(read, working.File{Path: fmt.Sprintf("/w/b/long/folder%d/number/%d/file.go", i%9, i)})
	}
	for i := range 40 {
		todos = append(todos, fmt.Sprintf("thing %d that takes some words to say and is to be done", i))
	}
	in := at("SessionStart", "compact")
	for b.Loop() {
		items := foldersItem(0, "working.edited", RankFiles, "Edited: ", "/w", files)
		items = append(items, foldersItem(readTokens, "working.read", RankRead, "Read: ", "/w", read)...)
		items = append(items, listItem(0, "working.todos", RankHandoff, "To do: ", todos, "; ", ""), item("working.goal", RankGoal, "Goal: all of it", ""))
		fit(budgetOf(in), items, true)
	}
}
