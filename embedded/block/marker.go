package block

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoMarker means that the last stop was not clean as far as can be told: no marker, or one that is not whole.
var ErrNoMarker = errors.New("no clean-exit marker")

// MarkerFile is the marker's name in the store's folder, beside what the server keeps there.
const MarkerFile = "clean.json"

const markerVersion = 1

// Marker is what a clean stop leaves behind: how the blocks looked, so that the next start need not read them all. It
// vouches for names, sizes and last checksums; a bit that flips inside a block later is for Check to find.
type Marker struct {
	Version int              `json:"version"`
	Blocks  map[string]Block `json:"blocks"`
	Index   string           `json:"index"` // SHA-256 of index.db in hex; empty: there was none
	LastSeq uint64           `json:"last_seq"`
}

// Block is how a block looked at the stop: its size and its last checksum in hex.
type Block struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum"`
}

// sealed is the file: the marker's exact bytes and their SHA-256 in hex.
type sealed struct {
	Marker json.RawMessage `json:"marker"`
	Sum    string          `json:"sum"`
}

// WriteMarker writes the marker of a clean stop into storeDir, after the server has stopped: what the msgs folder has, and
// the newest sequence.
func WriteMarker(storeDir, msgs string, last uint64) error {
	blocks, err := List(msgs)
	if err != nil {
		return err
	}
	m := Marker{Version: markerVersion, Blocks: make(map[string]Block, len(blocks)), LastSeq: last}
	for _, info := range blocks {
		m.Blocks[info.Name] = info.seal()
	}
	if m.Index, err = digest(filepath.Join(msgs, indexFile)); err != nil {
		return err
	}
	inner, err := json.Marshal(m)
	if err != nil {
		return err
	}
	outer, err := json.Marshal(sealed{inner, hexSum(inner)})
	if err != nil {
		return err
	}
	return Replace(filepath.Join(storeDir, MarkerFile), outer)
}

// ReadMarker reads the marker in storeDir. [ErrNoMarker] stands for a missing one, a damaged one and one of a version that
// is not ours.
func ReadMarker(storeDir string) (Marker, error) {
	content, err := os.ReadFile(filepath.Join(storeDir, MarkerFile))
	if errors.Is(err, os.ErrNotExist) {
		return Marker{}, ErrNoMarker
	}
	if err != nil {
		return Marker{}, fmt.Errorf("read clean-exit marker: %w", err)
	}
	var outer sealed
	var m Marker
	if json.Unmarshal(content, &outer) != nil || hexSum(outer.Marker) != outer.Sum ||
		json.Unmarshal(outer.Marker, &m) != nil || m.Version != markerVersion {
		return Marker{}, ErrNoMarker
	}
	return m, nil
}

// RemoveMarker removes the marker, durably, before the server starts to write. None to remove is no error.
func RemoveMarker(storeDir string) error { return remove(filepath.Join(storeDir, MarkerFile)) }

// Vouches says whether the msgs folder has the blocks of the clean stop and no others, with index.db, each but the newest
// as it was then. Blocks are those that [List] gives.
func (m Marker) Vouches(msgs string, blocks []Info) bool {
	index, err := digest(filepath.Join(msgs, indexFile))
	if err != nil || index != m.Index || len(blocks) != len(m.Blocks) {
		return false
	}
	for i, info := range blocks {
		known, ok := m.Blocks[info.Name]
		if !ok || i < len(blocks)-1 && known != info.seal() {
			return false
		}
	}
	return true
}

func (i Info) seal() Block { return Block{i.Size, hex.EncodeToString(i.LastSum[:])} }

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digest is the SHA-256 of a file in hex; empty without an error when there is no such file.
func digest(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return hexSum(content), nil
}
