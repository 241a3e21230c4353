package daemon

import (
	"context"
	"net/http"
	"os"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/wire"
	"hookline/replay/mend"
)

// ConnectLook is [Connect] for a dry run of a repair: when no daemon runs the log's blocks are checked first, and where
// anything is wrong the store is not opened, since that would mend it. Then the client answers POST of /v1/repair alone,
// with what was found.
func ConnectLook(ctx context.Context, o client.Options) (*client.Client, error) {
	p := o.Paths()
	if err := client.Check(p); err != nil {
		return nil, err
	}
	if _, err := os.Stat(p.Store); err != nil || p.Reach(time.Second) {
		return Connect(ctx, o)
	}
	rep, err := embedded.Look(embedded.Options{Dir: p.Store, Holder: "replay " + wire.Build})
	if err != nil {
		return nil, err
	}
	if rep.Found.Empty() {
		return Connect(ctx, o)
	}

	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/repair", func(w http.ResponseWriter, r *http.Request) {
		_ = client.AnswerLong(w, r, 0, func(context.Context, func(uint64)) (any, error) { return mend.Looked(rep), nil }) // to this process
	})
	return client.InProcess(client.Local{Handler: mux, Close: func() error { return nil }}), nil
}
