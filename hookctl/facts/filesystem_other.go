//go:build !linux && !darwin && !freebsd && !windows

package facts

import "errors"

func networkFS(string) (name string, network bool, err error) {
	return "", false, errors.ErrUnsupported
}

func diskFree(string) (free, total uint64, err error) { return 0, 0, errors.ErrUnsupported }
