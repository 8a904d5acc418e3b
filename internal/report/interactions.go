package report

import (
	"fmt"
	"io"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// maxInteractions is the maximum number of printed pairs of columns.
const maxInteractions = 5

// writeInteractions writes how much the effects of columns depend on each other, and the
// mean probabilities by the values of the strongest pair.
func writeInteractions(w io.Writer, r *api.ModelReport, width int) {
	shown := r.Interactions[:min(len(r.Interactions), maxInteractions)]
	if len(shown) == 0 || width < narrowWidth {
		return
	}
	fmt.Fprint(w, "\nInteractions: how far the mean probability is from the sum of two effects\n")
	share := " of the variance"
	if width < wideWidth {
		share = ""
	}
	writeAligned(w, false, func(w io.Writer) {
		for _, x := range shown {
			if len(x.Columns) == 2 {
				fmt.Fprintf(w, "  %s × %s\t± %.3f\t%s%s\t%s\n", escapeAndTruncate(x.Columns[0], width/4), escapeAndTruncate(x.Columns[1], width/4),
					x.Strength, humanize.Percent(x.Share), share, escapeAndTruncate(x.Class, width/8))
			}
		}
	})
	writeInteractionTable(w, &shown[0], width)
}

// writeInteractionTable writes the mean probabilities by the values of two columns. It omits
// a table that does not fit.
func writeInteractionTable(w io.Writer, x *api.Interaction, width int) {
	if len(x.Columns) != 2 || len(x.Values) != 2 || len(x.Probabilities) != len(x.Values[0]) || len(x.Values[1]) == 0 {
		return
	}
	each := (width-2)/(len(x.Values[1])+1) - 2
	if each < len("0.00") {
		return
	}
	fmt.Fprintf(w, "  %s by %s (down) and %s (across)\n", escapeAndTruncate(x.Class, width/5), escapeAndTruncate(x.Columns[0], width/5), escapeAndTruncate(x.Columns[1], width/5))
	writeAligned(w, false, func(w io.Writer) {
		for _, value := range x.Values[1] {
			fmt.Fprintf(w, "\t%s", escapeAndTruncate(value, each))
		}
		fmt.Fprint(w, "\n")
		for a, row := range x.Probabilities {
			fmt.Fprintf(w, "  %s", escapeAndTruncate(x.Values[0][a], each))
			for _, v := range row {
				fmt.Fprintf(w, "\t%.2f", v)
			}
			fmt.Fprint(w, "\n")
		}
	})
}
