package settings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// A gap is the white space and comments around an item of a container, up to commas. The parser's rule: after the last
// item there is a comma if after is not nil.
type gap struct{ before, after *hujson.Extra }

// gapsOf returns the gaps of an object's members or an array's elements; of anything else none.
func gapsOf(container hujson.ValueTrimmed) []gap {
	var list []gap
	switch c := container.(type) {
	case *hujson.Object:
		for i := range c.Members {
			list = append(list, gap{&c.Members[i].Name.BeforeExtra, &c.Members[i].Value.AfterExtra})
		}
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, gap{&c.Elements[i].BeforeExtra, &c.Elements[i].AfterExtra})
		}
	}
	return list
}

// endOf returns what stands before the closing sign of a container.
func endOf(container hujson.ValueTrimmed) *hujson.Extra {
	if c, ok := container.(*hujson.Array); ok {
		return &c.AfterExtra
	}
	return &container.(*hujson.Object).AfterExtra
}

// appendTo puts the items of a text behind those of a container; what is rendered is valid.
func appendTo(container hujson.ValueTrimmed, text string) {
	switch c := container.(type) {
	case *hujson.Object:
		v, _ := hujson.Parse([]byte("{" + text + "}"))
		c.Members = append(c.Members, v.Value.(*hujson.Object).Members...)
	case *hujson.Array:
		v, _ := hujson.Parse([]byte("[" + text + "]"))
		c.Elements = append(c.Elements, v.Value.(*hujson.Array).Elements...)
	}
}

// setTrailing makes a comma follow the last item, or none.
func setTrailing(container hujson.ValueTrimmed, comma bool) {
	list := gapsOf(container)
	if len(list) == 0 {
		return
	}
	after := list[len(list)-1].after
	switch {
	case !comma:
		*after = nil
	case *after == nil:
		*after = hujson.Extra{}
	}
}

// cut removes items with the white space before them and one comma each. Comments beside them
// stay. With everything gone and no comment left, white space goes too.
func cut(container hujson.ValueTrimmed, gone []int) {
	bare := isAll(gone, container) && !commented(container)
	for _, i := range slices.Backward(gone) {
		cutOne(container, i)
	}
	if bare {
		*endOf(container) = nil
	}
}

// cutOne moves the comments around an item to what follows it, and removes it.
func cutOne(container hujson.ValueTrimmed, i int) {
	list := gapsOf(container)
	item, last := list[i], len(list)-1
	trailing := *list[last].after != nil
	next := endOf(container)
	if i < last {
		next = list[i+1].before
	}

	following := slices.Concat(*item.after, *next)
	comments := bytes.TrimRight(*item.before, " \t\r\n")
	if endsInLineComment(comments) && !bytes.HasPrefix(bytes.TrimLeft(following, " \t\r"), []byte("\n")) {
		comments = (*item.before)[:len(comments)+bytes.IndexByte((*item.before)[len(comments):], '\n')+1]
	}
	*next = slices.Concat(comments, following)
	if i == last && i > 0 && !trailing { // the comma before the item goes, what stood before it stays
		*next = slices.Concat(*list[i-1].after, *next)
	}

	switch c := container.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
	setTrailing(container, trailing)
}

// commented tells whether there is a comment among the items of a container (one inside
// an item does not count).
func commented(container hujson.ValueTrimmed) bool {
	for _, g := range gapsOf(container) {
		if hasComment(*g.before) || hasComment(*g.after) {
			return true
		}
	}
	return hasComment(*endOf(container))
}

func hasComment(extra hujson.Extra) bool { return len(bytes.TrimSpace(extra)) > 0 }
