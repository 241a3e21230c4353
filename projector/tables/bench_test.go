package tables_test

import (
	"context"
	"testing"

	"hookline/expect"
	"hookline/projector"
	"hookline/projector/tables"
)

// BenchmarkFold folds the recorded log into all projections, in memory. An operation is one record.
func BenchmarkFold(b *testing.B) {
	log := recordedLog(b)
	ctx := context.Background()
	b.ReportAllocs()

	for done := 0; done < b.N; {
		v := expect.Value(projector.OpenView(ctx, projector.NewMemory(), tables.All()))(b)
		for _, r := range log[:min(len(log), b.N-done)] {
			expect.OK(b, v.Apply(ctx, r))
		}
		done += len(log)
	}
}
