package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hookline/hookctl/wire"
)

func BenchmarkTake(b *testing.B) {
	d, err := Open(b.Context(), Options{Home: filepath.Join(b.TempDir(), "h")})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close(b.Context())
	var n atomic.Int64
	body := strings.Repeat("func main() { fmt.Println(x, y, z) }\\n", 40)
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			js := fmt.Sprintf(`{"session_id":"0b34b6c2-3cb7-4a2a-8a43-%012d","hook_event_name":"PostToolUse","cwd":"/work/main","tool_name":"Bash","tool_input":{"command":"go test %d"},"tool_response":{"stdout":"%s%d"},"tool_use_id":"toolu_%d"}`, i%8, i, body, i, i)
			now := time.Now().UnixMilli()
			f := wire.Frame{ID: wire.NewID(now), Args: []string{"hook", "PostToolUse"}, Time: now, Complete: true, Size: int64(len(js)), Body: []byte(js), Cwd: "/work/main", PPID: os.Getppid(), Env: map[string]string{"CLAUDE_PID": fmt.Sprint(os.Getpid())}}
			if _, err := d.Take(b.Context(), f); err != nil {
				b.Fatal(err)
			}
		}
	})
}
