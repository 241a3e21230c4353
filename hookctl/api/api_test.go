package api

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// Every endpoint that is declared is in the list of all.
func TestAllHasEveryDeclaration(t *testing.T) {
	file := expect.Value(parser.ParseFile(token.NewFileSet(), "endpoints.go", nil, 0))(t)
	var declared, listed []string
	for _, d := range file.Decls {
		group, is := d.(*ast.GenDecl)
		if !is || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Names[0].Name != "All" {
				declared = append(declared, v.Names[0].Name)
				continue
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				listed = append(listed, e.(*ast.Ident).Name)
			}
		}
	}

	slices.Sort(declared)
	slices.Sort(listed)
	expect.Equal(t, strings.Join(listed, " "), strings.Join(declared, " "), "endpoints in All")
	if len(listed) == 0 {
		t.Error("no endpoint was compared")
	}
}

// Requests are parameters or a body, and their tags say what the package can write and read.
func TestRequestsAreTagged(t *testing.T) {
	for _, e := range All {
		request := e.request()
		parameters := parametersOf(request)
		if len(parameters) > 0 {
			expect.Equal(t, len(parameters), request.NumField(), e, "fields with a tag path or query")
		}
		for _, p := range parameters {
			checkParameter(t, e, p)
		}
		if hasBody(request) {
			checkBody(t, e)
		}
	}
}

func checkParameter(t *testing.T, e Route, p parameter) {
	t.Helper()
	field := e.request().Field(p.index)
	isList := field.Type.Kind() == reflect.Slice
	element := field.Type
	if isList {
		element = field.Type.Elem()
	}

	kinds := []reflect.Kind{reflect.String, reflect.Bool, reflect.Int, reflect.Uint, reflect.Uint64}
	if !slices.Contains(kinds, element.Kind()) {
		t.Errorf("%s: the parameter %s is a %s, which cannot be written", e, p.name, element)
	}
	if p.place == inPath && field.Type.Kind() != reflect.String {
		t.Errorf("%s: %s stands in the path and is a %s, want a string", e, p.name, field.Type)
	}
	if !slices.Contains([]form{repeated, comma, asJSON}, p.form) {
		t.Errorf("%s: the parameter %s has the form %q, which there is not", e, p.name, p.form)
	}
	if p.form != repeated && !isList {
		t.Errorf("%s: the parameter %s has the form %q and is no list", e, p.name, p.form)
	}
}

func checkBody(t *testing.T, e Route) {
	t.Helper()
	if !strings.HasPrefix(e.String(), "POST ") {
		t.Errorf("%s has a body and no tags of parameters", e)
	}
	for i := range e.request().NumField() {
		field := e.request().Field(i)
		if field.Tag.Get("json") == "" {
			t.Errorf("%s: the member %s has no tag json", e, field.Name)
		}
	}
}

// The wildcards of a path are the parameters of its request, and no endpoint is declared twice.
func TestPathsHaveTheirParameters(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All {
		if seen[e.String()] {
			t.Errorf("%s is declared twice", e)
		}
		seen[e.String()] = true

		path, query, _ := strings.Cut(e.String(), "?")
		if _, err := url.ParseQuery(query); err != nil {
			t.Errorf("%s: %v", e, err)
		}
		var wildcards, parameters []string
		for _, segment := range strings.Split(path, "/") {
			if name, is := strings.CutPrefix(segment, "{"); is {
				wildcards = append(wildcards, strings.TrimRight(name, ".}"))
			}
		}
		for _, p := range parametersOf(e.request()) {
			if p.place == inPath {
				parameters = append(parameters, p.name)
			}
		}
		expect.Equal(t, strings.Join(parameters, " "), strings.Join(wildcards, " "), e, "path parameters of the request")
	}
}

// What one end writes the other end reads: every field of every request, with values that need escaping.
func TestRequestsSurviveTheirWay(t *testing.T) {
	for _, e := range All {
		sent := reflect.New(e.request()).Elem()
		fill(sent, `a/b?&=%+ "ü"`)

		method, declared, _ := strings.Cut(e.String(), " ")
		path, query, body, err := encode(declared, sent.Interface())
		expect.OK(t, err)
		pattern, fixed := splitPath(declared)

		received := reflect.New(e.request())
		mux := http.NewServeMux()
		mux.HandleFunc(method+" "+pattern, func(_ http.ResponseWriter, r *http.Request) {
			read := func() ([]byte, error) { return body, nil }
			err = decode(received.Interface(), r.PathValue, r.URL.Query(), fixed, read, true)
		})
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path+"?"+query.Encode(), nil))
		expect.Equal(t, w.Code, http.StatusOK, e, "status of", path)
		if err != nil {
			t.Errorf("%s: read the request: %v", e, err)
			continue
		}
		expect.Equal(t, inJSON(t, received.Interface()), inJSON(t, sent.Interface()), e, "request")
	}
}

// Every answer can be read strictly from what its type writes.
func TestAnswersAreReadAsTheyAreWritten(t *testing.T) {
	for _, e := range All {
		sent := reflect.New(e.answer())
		fill(sent.Elem(), "text")
		if err := unknownMember([]byte(inJSON(t, sent.Interface())), sent.Interface()); err != nil {
			t.Errorf("%s: read the answer: %v", e, err)
		}
	}
}

// fill sets every exported field below a value. Interfaces and raw JSON get a number.
func fill(v reflect.Value, text string) {
	switch at := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*at = json.RawMessage("7")
		return
	case *time.Time:
		*at = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
		return
	}

	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text)
			}
		}
	}
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	return string(expect.Value(json.Marshal(v))(t))
}
