// Package api is the daemon's surface over its socket: one line for each endpoint, used by both ends, and the types that
// travel.
//
//	var Retract = Endpoint[RetractRequest, Retracted]{"POST", "/v1/do/retract"}
//
// There are three kinds. An [Endpoint] answers with one JSON value. A [Stream] answers with lines of JSON (NDJSON), one
// value each. A [Long] does what may take long: it answers with lines that say how far the work is, and with the result in
// the last one.
//
// Who asks calls a method of the endpoint with a [Caller], such as a client of package hookctl/client:
//
//	got, err := api.Retract.Call(ctx, c, api.RetractRequest{ID: "4711", Reason: "measured wrong"})
//
// Who answers gives its handler to the same value, with a [Server]:
//
//	api.Retract.Serve(s, func(ctx context.Context, r api.RetractRequest) (api.Retracted, error) { … })
//
// # Requests
//
// The fields of a request are either parameters or members of the body, never both in one struct. A parameter has a tag:
//
//	path:"session"       the wildcard {session} of the path
//	query:"n"            ?n=7; a list repeats it: ?from=a&from=b
//	query:"seq,comma"    ?seq=1,2,3
//	query:"paths,json"   ?paths=["/a","/b"]
//
// Strings, booleans ("1"), whole numbers and lists of strings and numbers can be parameters. One with the zero value is left
// out. A request without such tags is the body of a POST, as JSON.
//
// # Builds
//
// Both sides send their build in the header Hookline-Build. Where the two are the same, a parameter, a member of a body or
// of an answer that the receiver's struct does not have is an error that names it: somebody has renamed one end only.
// Between different builds it is passed over, since a newer one may have more. The paths and names never change: daemons and
// programs of different builds talk to each other while one is replaced.
//
// Not declared here are the hooks themselves ([hookline/hookctl/wire] has their request) and /metrics, which is text for
// Prometheus.
package api

import (
	"net/url"
	"reflect"
	"strings"

	"hookline/hookctl/wire"
)

// Endpoint is an endpoint that answers a request with one JSON value.
type Endpoint[Req, Ans any] struct {
	Method string
	Path   string
}

// Stream is an endpoint that answers a request with lines of JSON.
type Stream[Req, Line any] struct {
	Method string
	Path   string
}

// Long is an endpoint that does what may take long, tells how far it is, and answers with a result.
type Long[Req, Result any] struct {
	Method string
	Path   string
}

// None is a request without parameters, or an answer that says no more than that it was done.
type None struct{}

// Route is an endpoint of any kind, as [All] lists them.
type Route interface {
	String() string // the method and the path as they were declared
	request() reflect.Type
	answer() reflect.Type
}

// String returns the method and the path.
func (e Endpoint[Req, Ans]) String() string { return e.Method + " " + e.Path }

// String returns the method and the path.
func (e Stream[Req, Line]) String() string { return e.Method + " " + e.Path }

// String returns the method and the path.
func (e Long[Req, Result]) String() string { return e.Method + " " + e.Path }

func (Endpoint[Req, Ans]) request() reflect.Type { return reflect.TypeFor[Req]() }
func (Stream[Req, Line]) request() reflect.Type  { return reflect.TypeFor[Req]() }
func (Long[Req, Result]) request() reflect.Type  { return reflect.TypeFor[Req]() }

func (Endpoint[Req, Ans]) answer() reflect.Type { return reflect.TypeFor[Ans]() }
func (Stream[Req, Line]) answer() reflect.Type  { return reflect.TypeFor[Line]() }
func (Long[Req, Result]) answer() reflect.Type  { return reflect.TypeFor[Result]() }

// headerBuild carries the build of who sends a request or an answer.
const headerBuild = "Hookline-Build"

// sameBuild reports whether a header's build is this program's.
func sameBuild(build string) bool { return build == wire.Build }

// splitPath parts a declared path from the parameters that belong to it, as in /v1/events/{id}?raw=1.
func splitPath(declared string) (path string, fixed url.Values) {
	path, query, _ := strings.Cut(declared, "?")
	fixed, _ = url.ParseQuery(query) // a test reads all that are declared
	return path, fixed
}
