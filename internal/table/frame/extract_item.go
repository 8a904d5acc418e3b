package frame

import (
	"strings"

	"foretell/internal/table/cells"
)

// itemExtractor extracts features of the items of a list. An empty cell contains no items, and its
// number of items is a missing value.
type itemExtractor struct {
	separator    byte
	itemColumns  []int          // the columns of items, which are 1 if the list contains the item
	items        map[string]int // by item: its column
	countColumns []int          // the columns for the number of items
}

func newItemExtractor(schema *Schema, columns []int) *itemExtractor {
	e := &itemExtractor{items: make(map[string]int)}
	for _, at := range columns {
		c := &schema.Columns[at]
		e.separator = c.Separator[0]
		if c.Feature == ExtractItems {
			e.countColumns = append(e.countColumns, at)
			continue
		}
		e.itemColumns = append(e.itemColumns, at)
		e.items[c.Word] = at
	}
	return e
}

func (e *itemExtractor) extract(columns []Column, cell []byte) {
	for _, at := range e.itemColumns {
		columns[at].Floats = append(columns[at].Floats, 0)
	}
	count := cells.NaN
	if !cells.IsBlank(cell) {
		count = 0
		cells.VisitItems(cell, e.separator, func(item []byte) {
			count++
			if at, known := e.items[string(item)]; known {
				floats := columns[at].Floats
				floats[len(floats)-1] = 1
			}
		})
	}
	for _, at := range e.countColumns {
		columns[at].Floats = append(columns[at].Floats, count)
	}
}

// hasSeparator reports whether the separator of a feature of a list is valid.
func (c *ColumnSchema) hasSeparator() bool {
	return len(c.Separator) == 1 && strings.Contains(cells.ItemSeparators, c.Separator)
}
