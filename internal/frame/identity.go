package frame

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"foretell/internal/scratch"
)

// identities finds IDs that occur twice without keeping their texts, and hardly
// anything in memory.
//
// Each ID leaves a 72-bit hash, which is written to the disk with its line:
//
//	each ID above the one before ─▶ one tape, nothing to search
//	from the first that is not   ─▶ 256 tapes, by 8 bits of the hash
//
// The tapes are searched one by one at the end, so that a 256th of the IDs is in
// memory at a time. Two different IDs among ten million rows are taken for one
// with a chance of 1 in 10⁸. The hash is keyed, so nobody can aim at it.
type identities struct {
	bin, key maphash.Seed
	disk     *scratch.Disk
	rising   *scratch.Tape // nil once an ID was not above the one before
	high     []byte        // the last ID on it
	bins     [256]identityBin
	err      error // of reading back, for who asks next
}

type identityBin struct {
	tape  *scratch.Tape
	known map[uint64]struct{} // what is on the tape, once has was asked; else nil
}

const (
	identityBytes = 13                  // of an ID on a tape: its hash, then its line
	identityTape  = 100 * identityBytes // of a bin in memory: all of them fit a core's cache
)

// newIdentities opens no file before there are some thousand IDs.
func newIdentities() *identities {
	s := &identities{bin: maphash.MakeSeed(), key: maphash.MakeSeed(), disk: scratch.New("")}
	s.rising = s.disk.NewTape()
	return s
}

// Close lets go of the IDs.
func (s *identities) Close() error { return s.disk.Close() }

// hashedID is what an ID leaves.
type hashedID struct {
	key uint64
	bin uint8
}

func (s *identities) hash(id []byte) hashedID {
	return hashedID{maphash.Bytes(s.key, id), uint8(maphash.Bytes(s.bin, id))}
}

// add takes the ID of the next row.
func (s *identities) add(id []byte, line int) {
	s.follow(id, id, false)
	s.write(s.hash(id), line)
}

// follow takes note of the order of the IDs that come next: their first and last,
// and whether they are mixed within.
func (s *identities) follow(first, last []byte, mixed bool) {
	switch {
	case s.rising == nil:
	case mixed || !above(first, s.high):
		s.part()
	default:
		s.high = append(s.high[:0], last...)
	}
}

// above is an order in which numbers rise when they count, padded with zeros or
// not. It puts every ID above nothing.
func above(id, before []byte) bool {
	if len(id) != len(before) {
		return len(id) > len(before)
	}
	return bytes.Compare(id, before) > 0
}

// part moves the IDs that were rising into the bins.
func (s *identities) part() {
	rising := s.rising
	s.rising = nil
	for i := range s.bins {
		s.bins[i].tape = s.disk.NewTapeSize(identityTape)
	}
	s.err = eachIdentity(rising, func(id hashedID, line int) bool {
		s.write(id, line)
		return true
	})
}

func (s *identities) write(id hashedID, line int) {
	var record [identityBytes]byte
	binary.LittleEndian.PutUint64(record[:], id.key)
	record[8] = id.bin
	binary.LittleEndian.PutUint32(record[9:], uint32(line))
	if s.rising != nil {
		_, _ = s.rising.Write(record[:]) // never fails, nor does the other
		return
	}
	bin := &s.bins[id.bin]
	_, _ = bin.tape.Write(record[:])
	if bin.known != nil {
		bin.known[id.key] = struct{}{}
	}
}

// eachIdentity calls do with the IDs on a tape in the order in which they were
// added, until it returns false.
func eachIdentity(tape *scratch.Tape, do func(id hashedID, line int) bool) error {
	src := bufio.NewReader(tape.Reader(tape.Len()))
	var record [identityBytes]byte
	for {
		switch _, err := io.ReadFull(src, record[:]); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the row IDs back from the folder for temporary files: %w", err)
		}
		id := hashedID{binary.LittleEndian.Uint64(record[:]), record[8]}
		if !do(id, int(binary.LittleEndian.Uint32(record[9:]))) {
			return nil
		}
	}
}

// gridIDs are the IDs of a grid.
type gridIDs struct {
	hashed      []hashedID
	first, last []byte
	mixed       bool // one is not above the one before
}

// gather makes list that of the IDs in a field of a grid. Any goroutine may call
// it.
func (s *identities) gather(list *gridIDs, g *grid, field int) {
	*list = gridIDs{hashed: list.hashed[:0]}
	for row := range g.rows {
		id := g.cellText(row, field)
		if row == 0 {
			list.first = id
		}
		list.mixed = list.mixed || !above(id, list.last)
		list.last = id
		list.hashed = append(list.hashed, s.hash(id))
	}
}

// addGrid takes the IDs of a grid, the first of which is in a line.
func (s *identities) addGrid(list *gridIDs, g *grid, line int) {
	if len(list.hashed) == 0 {
		return
	}
	s.follow(list.first, list.last, list.mixed)
	for row, id := range list.hashed {
		s.write(id, line+int(g.lines[row]))
	}
}

// has reports whether an ID was added. What it looks through to answer stays in
// memory.
func (s *identities) has(id []byte) (bool, error) {
	if s.rising != nil {
		s.part()
	}
	hashed := s.hash(id)
	bin := &s.bins[hashed.bin]
	if bin.known == nil && s.err == nil {
		known := make(map[uint64]struct{})
		s.err = eachIdentity(bin.tape, func(id hashedID, _ int) bool {
			known[id.key] = struct{}{}
			return true
		})
		bin.known = known
	}
	_, known := bin.known[hashed.key]
	return known, s.err
}

// repetition is a line whose ID an earlier line has.
type repetition struct{ line, first int }

// repeated returns up to limit repetitions with the lowest lines, and how many
// there are. The lines of the IDs must have been added in ascending order.
func (s *identities) repeated(ctx context.Context, limit int) (found []repetition, count int, err error) {
	if s.rising != nil {
		return nil, 0, nil
	}
	firsts := make(map[uint64]int) // of the bin: the first line of each ID
	for i := range s.bins {
		if err := cmp.Or(s.err, context.Cause(ctx)); err != nil {
			return nil, 0, err
		}
		clear(firsts)
		here := 0
		s.err = eachIdentity(s.bins[i].tape, func(id hashedID, line int) bool {
			first, again := firsts[id.key]
			if !again {
				firsts[id.key] = line
				return true
			}
			count++
			if here++; here <= limit {
				found = append(found, repetition{line, first})
			}
			return true
		})
		if len(found) > limit {
			found = lowest(found, limit)
		}
	}
	return lowest(found, limit), count, s.err
}

func lowest(found []repetition, limit int) []repetition {
	slices.SortFunc(found, func(a, b repetition) int { return cmp.Compare(a.line, b.line) })
	return found[:min(len(found), limit)]
}
