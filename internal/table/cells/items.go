package cells

import (
	"bytes"
	"strings"
)

// ItemSeparators are the characters that may separate the items of a list.
const ItemSeparators = ";|,"

// VisitItems calls visit with each item of a list in a cell, such as C++;SQL. The item shares the
// cell's memory. separator is one of ItemSeparators; between quotes, it does not end an item. Empty
// items are left out.
//
// White space and quotes around an item, and square or curly brackets around a list, are removed,
// as in ["a", "b"] and {a,b}. Brackets at the ends of an item without quotes are removed, too, if
// they are not closed in the item, as in [a, [b, c]].
func VisitItems(cell []byte, separator byte, visit func(item []byte)) {
	l := itemList{rest: withoutBrackets(Trim(cell)), separator: separator}
	for len(l.rest) > 0 {
		if item := l.next(); len(item) > 0 {
			visit(item)
		}
	}
}

// withoutBrackets returns a list without the brackets around it.
func withoutBrackets(list []byte) []byte {
	if last := len(list) - 1; last > 0 && (list[0] == '[' && list[last] == ']' || list[0] == '{' && list[last] == '}') {
		return list[1:last]
	}
	return list
}

// itemList is the rest of a list.
type itemList struct {
	rest      []byte
	separator byte
	// unclosed holds the kinds of quotes that are known not to be closed. Without it, next would
	// search up to the end of the cell for the closing quote of each such quote, which takes
	// quadratic time.
	unclosed string
}

// next removes the first item from the list. It returns the item without the spaces, quotes and
// unclosed brackets around it. The result may be empty.
func (l *itemList) next() (item []byte) {
	list := Trim(l.rest)
	if len(list) > 0 && (list[0] == '"' || list[0] == '\'') && !strings.Contains(l.unclosed, string(list[0])) {
		for at := 1; at < len(list); at++ {
			if list[at] != list[0] {
				continue
			}
			if after := Trim(list[at+1:]); len(after) == 0 || after[0] == l.separator {
				l.rest = after[min(1, len(after)):]
				return Trim(list[1:at])
			}
		}
		l.unclosed += string(list[0])
	}
	item, l.rest, _ = bytes.Cut(list, []byte{l.separator})
	return withoutOpenBrackets(Trim(item))
}

// withoutOpenBrackets returns an item without unpaired brackets at its ends. It removes brackets at
// the beginning if the item has no closing bracket of their kind, and brackets at the end if it has
// no opening bracket of their kind.
func withoutOpenBrackets(item []byte) []byte {
	for _, pair := range []string{"[]", "{}"} {
		if bytes.IndexByte(item, pair[1]) < 0 {
			item = Trim(bytes.TrimLeft(item, pair[:1]))
		} else if bytes.IndexByte(item, pair[0]) < 0 {
			item = Trim(bytes.TrimRight(item, pair[1:]))
		}
	}
	return item
}
