// Foretell learns from labelled tables and predicts the labels of others.
package main

import (
	"os"

	"foretell/cmd"
)

func main() { os.Exit(cmd.Main()) }
