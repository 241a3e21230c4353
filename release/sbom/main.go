// Sbom prints the list of components of Go programs as CycloneDX JSON on stdout: the modules that the linker has put into them.
//
//	sbom VERSION PROGRAM...
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM...")
		os.Exit(2)
	}
	if err := list(os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// list writes the components of programs, each once, by name. It has no time and no serial number: the same programs give the same
// bytes. An error names the program that cannot be read.
func list(out io.Writer, version string, programs []string) error {
	found := map[string]cdx.Component{}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		found["go"] = component("std", strings.TrimPrefix(info.GoVersion, "go"))
		for _, module := range info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			found[module.Path] = component(module.Path, module.Version)
		}
	}
	components := make([]cdx.Component, 0, len(found))
	for _, c := range found {
		components = append(components, c)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })

	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: "hookline", Name: "hookline", Version: version}}
	bom.Components = &components
	if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return nil
}

func component(path, version string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + version
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: path, Version: version, PackageURL: purl}
}
