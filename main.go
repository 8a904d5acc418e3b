// Foretell learns from tables whose rows have labels, and predicts the labels of other rows.
package main

import (
	"os"

	"foretell/cmd"
)

func main() { os.Exit(cmd.Main()) }
