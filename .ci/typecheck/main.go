// Command typecheck checks that the module and its tests compile for other systems. It
// checks types from the source, without compiling the dependencies for each system, which
// would take minutes. The command has a module of its own, so it is built in its folder and run in
// the folder of the program:
//
//	(cd .ci/typecheck && go build -o /tmp/typecheck .)
//	/tmp/typecheck windows/amd64 darwin/arm64
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, target := range os.Args[1:] {
		system, processor, _ := strings.Cut(target, "/")
		list, err := packages.Load(&packages.Config{
			Mode:  packages.LoadAllSyntax,
			Tests: true,
			Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor),
		}, "./...")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(target)
		failed = packages.PrintErrors(list) > 0 || failed
	}
	if failed {
		os.Exit(1)
	}
}
