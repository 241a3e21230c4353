package block

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// benchDir makes eight full blocks of 8 MiB with records as hookline writes them, of about the given size. They are made
// by hand: a server takes a minute for them.
func benchDir(b *testing.B, size int) string {
	b.Helper()
	dir := b.TempDir()
	seq := uint64(0)
	for index := 1; index <= 8; index++ {
		sum := newHasher(stream, index)
		var block []byte
		for len(block) < 8<<20-size {
			seq++
			block = append(block, encode(sum, seq, size)...)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.blk", index)), block, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// encode makes one record with headers.
func encode(sum hasher, seq uint64, size int) []byte {
	subject := "ev.0123456789.01234567-89ab-cdef-0123-456789abcdef.tool.used"
	header := "NATS/1.0\r\nNats-Msg-Id: 01ARZ3NDEKTSV4RRFFQ69G5FAV\r\nce-type: tool.used\r\n\r\n"
	b := make([]byte, headLen, size)
	le.PutUint64(b[4:], seq)
	le.PutUint64(b[12:], 1<<60+seq)
	le.PutUint16(b[20:], uint16(len(subject)))
	b = append(b, subject...)
	b = le.AppendUint32(b, uint32(len(header)))
	b = append(b, header...)
	for len(b) < size-sumLen {
		b = append(b, byte(len(b)))
	}
	b = append(b, make([]byte, sumLen)...)
	le.PutUint32(b, uint32(len(b))|hasHeaders)
	r, _ := frame(b)
	le.PutUint64(b[len(b)-sumLen:], sum.sum(r))
	return b
}

// Goal: 500 MB/s verified on one core, 1 GB/s aimed at.
func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{300, 600, 4096} {
		dir := benchDir(b, size)
		for _, parallel := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dB/%d", size, parallel), func(b *testing.B) {
				b.SetBytes(8 * 8 << 20)
				for b.Loop() {
					rep, err := Check(dir, Options{Stream: stream, Parallel: parallel})
					if err != nil || len(rep.Damage)+len(rep.Holes) != 0 {
						b.Fatalf("%+v, %v", rep, err)
					}
				}
			})
		}
	}
}

// Goal: as for Check, and no allocation per record.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(benchDir(b, 600), "1.blk")
	b.SetBytes(8 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := Read(path, stream, func(Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
