package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hookline/hookctl/problem"
)

// Requests as they travel: parameters in the path and the query, or a body.

// place is where a parameter travels.
type place string

const (
	inPath  place = "path"
	inQuery place = "query"
)

// form is how a list is written into the query.
type form string

const (
	repeated form = ""      // a parameter for each element
	comma    form = "comma" // one parameter, the elements between commas
	asJSON   form = "json"  // one parameter, a JSON array
)

// parameter is a field of a request that is no member of a body.
type parameter struct {
	index int // of the field
	place place
	name  string
	form  form
}

// parametersOf returns the parameters of a request, none for one that is a body.
func parametersOf(request reflect.Type) []parameter {
	var list []parameter
	for i := range request.NumField() {
		tag := request.Field(i).Tag
		for _, place := range []place{inPath, inQuery} {
			value, tagged := tag.Lookup(string(place))
			if !tagged {
				continue
			}
			name, f, _ := strings.Cut(value, ",")
			list = append(list, parameter{index: i, place: place, name: name, form: form(f)})
		}
	}
	return list
}

// hasBody reports whether a request travels as a body.
func hasBody(request reflect.Type) bool {
	return request.NumField() > 0 && len(parametersOf(request)) == 0
}

// encode returns the escaped path and the query of a request, and its body, which is nil where it has none.
func encode(declared string, request any) (path string, query url.Values, body []byte, err error) {
	path, query = splitPath(declared)
	v := reflect.ValueOf(request)
	if hasBody(v.Type()) {
		body, err = json.Marshal(request)
		return path, query, body, err
	}

	for _, p := range parametersOf(v.Type()) {
		field := v.Field(p.index)
		if p.place == inPath {
			path = fillPath(path, p.name, field.String())
			continue
		}
		values, err := p.write(field)
		if err != nil {
			return "", nil, nil, fmt.Errorf("write the parameter %s: %w", p.name, err)
		}
		if len(values) > 0 {
			query[p.name] = values
		}
	}
	return path, query, nil, nil
}

// fillPath puts a value in the place of its wildcard. The value of {name...} may have several segments.
func fillPath(path, name, value string) string {
	rest := "{" + name + "...}"
	if !strings.Contains(path, rest) {
		return strings.Replace(path, "{"+name+"}", escapeSegment(value), 1)
	}
	segments := strings.Split(value, "/")
	for i, s := range segments {
		segments[i] = escapeSegment(s)
	}
	return strings.Replace(path, rest, strings.Join(segments, "/"), 1)
}

// escapeSegment escapes a segment of a path. One of dots only stays a name: it would lead to another endpoint.
func escapeSegment(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// write returns a parameter's values, none for the zero value.
func (p parameter) write(field reflect.Value) ([]string, error) {
	if field.IsZero() {
		return nil, nil
	}
	if field.Kind() != reflect.Slice {
		return []string{textOf(field)}, nil
	}

	if field.Len() == 0 {
		return nil, nil
	}
	if p.form == asJSON {
		text, err := json.Marshal(field.Interface())
		return []string{string(text)}, err
	}
	list := make([]string, field.Len())
	for i := range list {
		list[i] = textOf(field.Index(i))
	}
	if p.form == comma {
		list = []string{strings.Join(list, ",")}
	}
	return list, nil
}

// textOf writes a value that is no list.
func textOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return "1"
		}
		return ""
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	default:
		return v.String()
	}
}

// decode reads a request into the struct that into points to. pathValue returns the value of a wildcard, fixed are the
// parameters that belong to the declared path. With strict a parameter or a member that the struct does not have is an error.
func decode(into any, pathValue func(name string) string, query, fixed url.Values, body func() ([]byte, error), strict bool) error {
	v := reflect.ValueOf(into).Elem()
	parameters := parametersOf(v.Type())
	if strict {
		if err := unknownParameter(parameters, query, fixed); err != nil {
			return err
		}
	}
	if hasBody(v.Type()) {
		text, err := body()
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return problem.Bad("request: %v", err)
		}
		if !strict {
			return nil
		}
		if err := unknownMember(text, into); err != nil {
			return problem.Bad("request: %v", err).Advise(otherTree)
		}
		return nil
	}

	for _, p := range parameters {
		field := v.Field(p.index)
		if p.place == inPath {
			field.SetString(pathValue(p.name))
			continue
		}
		if err := p.read(field, query[p.name]); err != nil {
			return err
		}
	}
	return nil
}

// unknownParameter returns an error for a parameter of a query that a request does not have.
func unknownParameter(parameters []parameter, query, fixed url.Values) error {
	var names []string
	for _, p := range parameters {
		if p.place == inQuery {
			names = append(names, p.name)
		}
	}
	for name := range query {
		if !slices.Contains(names, name) && !fixed.Has(name) {
			return problem.Bad("request: unknown parameter %q", name).Advise(otherTree)
		}
	}
	return nil
}

// otherTree is the hint for programs of one version that do not agree, as those of two work trees.
const otherTree = "this program and the daemon have the same version and differ: `hookctl restart` starts the daemon of this one"

// read sets a field from the values of its parameter.
func (p parameter) read(field reflect.Value, values []string) error {
	if len(values) == 0 {
		return nil
	}
	if field.Kind() != reflect.Slice {
		return p.readOne(field, values[0])
	}

	switch p.form {
	case asJSON:
		if err := json.Unmarshal([]byte(values[0]), field.Addr().Interface()); err != nil {
			return problem.Bad("%s: %v", p.name, err)
		}
		return nil
	case comma:
		if values[0] == "" && field.Type().Elem().Kind() == reflect.String {
			return nil
		}
		values = strings.Split(values[0], ",")
	}
	list := reflect.MakeSlice(field.Type(), len(values), len(values))
	for i, text := range values {
		if err := p.readOne(list.Index(i), text); err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

// readOne sets a value that is no list. An empty text is the zero value of a field, and no number in a list.
func (p parameter) readOne(v reflect.Value, text string) error {
	isNumber := v.CanInt() || v.CanUint()
	if isNumber && text == "" && p.form == repeated {
		return nil
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(text == "1")
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return problem.Bad("%s: %q is no number", p.name, text)
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil {
			return problem.Bad("%s: %q is no count", p.name, text)
		}
		v.SetUint(n)
	default:
		v.SetString(text)
	}
	return nil
}

// unknownMember returns an error for a member of a JSON text that the type of the value that like points to does not have.
func unknownMember(text []byte, like any) error {
	return decodeKnown(text, reflect.New(reflect.TypeOf(like).Elem()).Interface())
}

// decodeKnown reads a JSON text that has one value, in which the type knows every member.
func decodeKnown(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}
