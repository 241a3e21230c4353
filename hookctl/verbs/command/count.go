package command

import (
	"fmt"
	"strconv"
)

// Count is the value of the flag -n: how many, or "all".
type Count int

// All is the value "all".
const All Count = -1

// String gives the value as it is typed.
func (c *Count) String() string {
	if *c == All {
		return "all"
	}
	return strconv.Itoa(int(*c))
}

// Set reads the value.
func (c *Count) Set(s string) error {
	if s == "all" {
		*c = All
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("want a number or all")
	}
	*c = Count(n)
	return nil
}

// From is the index at which the last N of so many begin.
func (c *Count) From(n int) int {
	if *c == All {
		return 0
	}
	return max(0, n-int(*c))
}

// Type names the value in help.
func (*Count) Type() string { return "N" }
