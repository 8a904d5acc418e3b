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

// idSet finds IDs that occur twice without keeping their texts, and hardly
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
type idSet struct {
	binSeed, keySeed maphash.Seed
	disk             *scratch.Disk
	ascending        *scratch.Tape // nil once an ID was not above the one before
	highest          []byte        // the last ID on it
	bins             [256]idBin
	err              error // of reading back, for who asks next
}

type idBin struct {
	stream *scratch.Tape
	known  map[uint64]struct{} // what is on the tape, once has was asked; else nil
}

const (
	idRecordBytes = 13                  // of an ID on a tape: its hash, then its line
	idStreamBytes = 100 * idRecordBytes // of a bin in memory: all of them fit a core's cache
)

// newIDSet opens no file before there are some thousand IDs.
func newIDSet() *idSet {
	s := &idSet{binSeed: maphash.MakeSeed(), keySeed: maphash.MakeSeed(), disk: scratch.New("")}
	s.ascending = s.disk.NewTape()
	return s
}

// Close lets go of the IDs.
func (s *idSet) Close() error { return s.disk.Close() }

// hashedID is what an ID leaves.
type hashedID struct {
	key uint64
	bin uint8
}

func (s *idSet) hash(id []byte) hashedID {
	return hashedID{maphash.Bytes(s.keySeed, id), uint8(maphash.Bytes(s.binSeed, id))}
}

// add takes the ID of the next row.
func (s *idSet) add(id []byte, line int) {
	s.checkAscending(id, id, false)
	s.store(s.hash(id), line)
}

// checkAscending takes note of the order of the IDs that come next: their first and last,
// and whether they are mixed within.
func (s *idSet) checkAscending(first, last []byte, mixed bool) {
	switch {
	case s.ascending == nil:
	case mixed || !ascends(first, s.highest):
		s.splitIntoBins()
	default:
		s.highest = append(s.highest[:0], last...)
	}
}

// ascends is an order in which numbers rise when they count, padded with zeros or
// not. It puts every ID above nothing.
func ascends(id, before []byte) bool {
	if len(id) != len(before) {
		return len(id) > len(before)
	}
	return bytes.Compare(id, before) > 0
}

// splitIntoBins moves the IDs that were rising into the bins.
func (s *idSet) splitIntoBins() {
	rising := s.ascending
	s.ascending = nil
	for i := range s.bins {
		s.bins[i].stream = s.disk.NewTapeSize(idStreamBytes)
	}
	s.err = forEachID(rising, func(id hashedID, line int) bool {
		s.store(id, line)
		return true
	})
}

func (s *idSet) store(id hashedID, line int) {
	var record [idRecordBytes]byte
	binary.LittleEndian.PutUint64(record[:], id.key)
	record[8] = id.bin
	binary.LittleEndian.PutUint32(record[9:], uint32(line))
	if s.ascending != nil {
		_, _ = s.ascending.Write(record[:]) // never fails, nor does the other
		return
	}
	bin := &s.bins[id.bin]
	_, _ = bin.stream.Write(record[:])
	if bin.known != nil {
		bin.known[id.key] = struct{}{}
	}
}

// forEachID calls do with the IDs on a tape in the order in which they were
// added, until it returns false.
func forEachID(tape *scratch.Tape, do func(id hashedID, line int) bool) error {
	src := bufio.NewReader(tape.Reader(tape.Len()))
	var record [idRecordBytes]byte
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

// chunkIDs are the IDs of a grid.
type chunkIDs struct {
	hashed      []hashedID
	first, last []byte
	unordered   bool // one is not above the one before
}

// hashChunk makes list that of the IDs in a field of a grid. Any goroutine may call
// it.
func (s *idSet) hashChunk(list *chunkIDs, g *parsedChunk, field int) {
	*list = chunkIDs{hashed: list.hashed[:0]}
	for row := range g.rows {
		id := g.cellText(row, field)
		if row == 0 {
			list.first = id
		}
		list.unordered = list.unordered || !ascends(id, list.last)
		list.last = id
		list.hashed = append(list.hashed, s.hash(id))
	}
}

// addChunk takes the IDs of a grid, the first of which is in a line.
func (s *idSet) addChunk(list *chunkIDs, g *parsedChunk, line int) {
	if len(list.hashed) == 0 {
		return
	}
	s.checkAscending(list.first, list.last, list.unordered)
	for row, id := range list.hashed {
		s.store(id, line+int(g.rowLines[row]))
	}
}

// has reports whether an ID was added. What it looks through to answer stays in
// memory.
func (s *idSet) has(id []byte) (bool, error) {
	if s.ascending != nil {
		s.splitIntoBins()
	}
	hashed := s.hash(id)
	bin := &s.bins[hashed.bin]
	if bin.known == nil && s.err == nil {
		known := make(map[uint64]struct{})
		s.err = forEachID(bin.stream, func(id hashedID, _ int) bool {
			known[id.key] = struct{}{}
			return true
		})
		bin.known = known
	}
	_, known := bin.known[hashed.key]
	return known, s.err
}

// duplicate is a line whose ID an earlier line has.
type duplicate struct{ line, firstLine int }

// duplicates returns up to limit repetitions with the lowest lines, and how many
// there are. The lines of the IDs must have been added in ascending order.
func (s *idSet) duplicates(ctx context.Context, limit int) (found []duplicate, count int, err error) {
	if s.ascending != nil {
		return nil, 0, nil
	}
	firsts := make(map[uint64]int) // of the bin: the first line of each ID
	for i := range s.bins {
		if err := cmp.Or(s.err, context.Cause(ctx)); err != nil {
			return nil, 0, err
		}
		clear(firsts)
		here := 0
		s.err = forEachID(s.bins[i].stream, func(id hashedID, line int) bool {
			first, again := firsts[id.key]
			if !again {
				firsts[id.key] = line
				return true
			}
			count++
			if here++; here <= limit {
				found = append(found, duplicate{line, first})
			}
			return true
		})
		if len(found) > limit {
			found = lowestLines(found, limit)
		}
	}
	return lowestLines(found, limit), count, s.err
}

func lowestLines(found []duplicate, limit int) []duplicate {
	slices.SortFunc(found, func(a, b duplicate) int { return cmp.Compare(a.line, b.line) })
	return found[:min(len(found), limit)]
}
