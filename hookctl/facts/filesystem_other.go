//go:build !linux && !darwin

package facts

import "errors"

// NetworkFS returns an error: this platform is not asked.
func NetworkFS(string) (name string, network bool, err error) {
	return "", false, errors.ErrUnsupported
}
