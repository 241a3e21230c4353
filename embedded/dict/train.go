//go:build train

// Command train builds the dictionary for payloads from a corpus of hook payloads that it makes up
// itself: the same seed gives the same dictionary. Shipped dictionaries never change; give a new
// one a new number, a file of its own, and a line in compress.go.
//
//	go generate ./embedded
package main

import (
	"flag"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"
)

func main() {
	out := flag.String("o", "1.zdict", "the file to write")
	id := flag.Uint("id", 1, "the dictionary's id, part of every frame made with it")
	flag.Parse()
	d, err := train(uint32(*id))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, d, 0o644); err != nil {
		log.Fatal(err)
	}
}

// train builds the dictionary: its history is what recurs, most useful last, and its tables come
// from whole payloads.
func train(id uint32) ([]byte, error) {
	c := newCorpus(1)
	samples := make([][]byte, 0, 2000)
	for range cap(samples) {
		samples = append(samples, c.payload())
	}
	return zstd.BuildDict(zstd.BuildDictOptions{ID: id, Contents: samples, History: c.history(),
		Offsets: [3]int{1, 4, 8}, Level: zstd.SpeedBetterCompression})
}
