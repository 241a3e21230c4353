package carry

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// sending is a source of these lines, which ends with err.
func sending(text []byte, err error) Lines {
	return func(line func([]byte) error) error {
		for l := range bytes.Lines(text) {
			if err := line(bytes.Clone(bytes.TrimSuffix(l, []byte("\n")))); err != nil {
				return err
			}
		}
		return err
	}
}

func none(uint64, uint64) {}

// What was saved is an export, packed or plain by its name, and Check finds in it what Save has counted.
func TestSaveAndCheck(t *testing.T) {
	text := written(t, greeting, event(1, `{"a":{"$blob":"`+hello+`","size":5}}`), event(2, "{\n}"))
	for name, start := range map[string]string{"x.ndjson.zst": "\x28\xb5\x2f\xfd", "x.ndjson": `{"hookline_export":1,`, "x": "\x28\xb5\x2f\xfd"} {
		file := filepath.Join(t.TempDir(), name)
		var told [][2]uint64
		saved, err := Save(file, sending(text, nil), func(done, of uint64) { told = append(told, [2]uint64{done, of}) })
		expect.OK(t, err)
		content, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(content), start) {
			t.Errorf("%s: %v, %.20q", name, err, content)
		}
		if saved.File != file || saved.Events != 2 || saved.Blobs != 1 || saved.Missing != 0 || saved.Bytes != int64(len(content)) || saved.Header.Events != 2 {
			t.Errorf("%s: %+v", name, saved)
		}
		if len(told) != 2 || told[1] != [2]uint64{2, 2} {
			t.Errorf("%s: told %v", name, told)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		read, err := ReadBack(file)
		if err != nil || read.Events != 2 || read.Blobs != 1 || read.Header.Format != 1 || read.File != file {
			t.Errorf("%s: %+v, %v", name, read, err)
		}
		if _, err := Save(file, sending(text, nil), none); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s was written over: %v", name, err)
		}
	}
}

// On any trouble there is no file.
func TestSaveLeavesNothing(t *testing.T) {
	text := written(t, event(1, "{}"), event(2, "{}"))
	gone := errors.New("gone")
	cut := text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1] // without the trailer
	for name, source := range map[string]Lines{
		"the daemon ended before the export did": sending(cut, nil),
		"gone":                                   sending(cut, gone),
		"unexpected end of JSON input":           sending([]byte(`{"hookline_export":`+"\n"), nil),
	} {
		file := filepath.Join(t.TempDir(), "x.ndjson.zst")
		if _, err := Save(file, source, none); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file is left: %v", name, err)
		}
	}
	if _, err := Save(filepath.Join(t.TempDir(), "no", "folder"), sending(text, nil), none); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// full takes so many bytes and no more.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, errors.New("write x: no space left on device")
	}
	f.left -= len(b)
	return len(b), nil
}

// A full disk is told of once, whatever else cannot be written because of it.
func TestPackOntoFullDisk(t *testing.T) {
	item := event(1, `"`+strings.Repeat("ab", 200_000)+`"`)
	text := written(t, item, item)
	for _, zstandard := range []bool{true, false} {
		_, err := Pack(&full{left: 10}, zstandard, sending(text, nil), none)
		if err == nil || err.Error() != "write x: no space left on device" {
			t.Errorf("zstd %v: %v", zstandard, err)
		}
	}
}

// Where nothing comes, nothing is written: a pipe to jq is empty as any program's that failed.
func TestPackOfNothing(t *testing.T) {
	var out bytes.Buffer
	if _, err := Pack(&out, true, sending(nil, nil), none); err == nil || err.Error() != "the daemon ended before the export did" || out.Len() != 0 {
		t.Errorf("%v, %q", err, &out)
	}
}
