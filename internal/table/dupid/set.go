package dupid

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
	"sort"

	"foretell/internal/spill"
	"foretell/internal/table/csvfile"
)

// Set finds duplicate IDs with little memory and without storing the IDs. White space around an ID
// is ignored, as it is by programs that join rows by their IDs, such as `foretell score`.
//
// Each ID is hashed to 72 bits. The hash and the line of the ID are written to disk:
//
//	while all IDs ascend ─▶ one stream, which has no duplicates
//	after that           ─▶ 256 streams, by 8 bits of the hash
//
// At the end, the streams are searched one by one, so that only a 256th of the IDs is in memory at
// a time. The probability that two different IDs of ten million rows have the same hash is 1 in
// 10⁸. The hash is keyed against deliberate collisions.
type Set struct {
	binSeed, keySeed maphash.Seed
	File             *spill.File   // the temporary file, which may hold other streams, too
	ascending        *spill.Stream // nil once the IDs are not in ascending order
	highest          []byte        // the last ID added to ascending
	bins             [256]idBin
	err              error // a read error, returned by the next call
}

type idBin struct {
	stream *spill.Stream
	hashes map[uint64]struct{} // the hashes in the stream, set by Has
}

const (
	idRecordBytes = 13                  // bytes of an ID in a stream: its hash and its line
	idStreamBytes = 100 * idRecordBytes // size of a stream's buffer; the buffers of all streams fit the cache of a core
)

// NewSet returns an empty set. It creates its file after several thousand IDs.
func NewSet() *Set {
	s := &Set{binSeed: maphash.MakeSeed(), keySeed: maphash.MakeSeed(), File: spill.New("")}
	s.ascending = s.File.NewStream()
	return s
}

// Close removes the temporary file.
func (s *Set) Close() error { return s.File.Close() }

// hashedID is the 72-bit hash of an ID.
type hashedID struct {
	key uint64
	bin uint8
}

func (s *Set) hash(id []byte) hashedID {
	return hashedID{maphash.Bytes(s.keySeed, id), uint8(maphash.Bytes(s.binSeed, id))}
}

// Add adds the ID of the next row, which starts in the given line.
func (s *Set) Add(id []byte, line int) {
	id = bytes.TrimSpace(id)
	s.splitUnlessAscending(id, id, false)
	s.store(s.hash(id), line)
}

// splitUnlessAscending calls splitIntoBins unless the IDs stored so far, followed by the new IDs,
// are in ascending order. It must be called before the new IDs are stored. first and last are the
// first and the last new ID. unordered is set if the new IDs themselves are not ascending.
func (s *Set) splitUnlessAscending(first, last []byte, unordered bool) {
	switch {
	case s.ascending == nil:
	case unordered || !ascends(first, s.highest):
		s.splitIntoBins()
	default:
		s.highest = append(s.highest[:0], last...)
	}
}

// ascends reports whether id is greater than previous. A longer ID is greater than a shorter one,
// so that consecutive numbers ascend with and without leading zeros.
func ascends(id, previous []byte) bool {
	if len(id) != len(previous) {
		return len(id) > len(previous)
	}
	return bytes.Compare(id, previous) > 0
}

// splitIntoBins moves the IDs from the ascending stream to 256 other streams, the bins.
func (s *Set) splitIntoBins() {
	rising := s.ascending
	s.ascending = nil
	for i := range s.bins {
		s.bins[i].stream = s.File.NewStreamSize(idStreamBytes)
	}
	s.err = forEachID(rising, func(id hashedID, line int) bool {
		s.store(id, line)
		return true
	})
}

func (s *Set) store(id hashedID, line int) {
	var record [idRecordBytes]byte
	binary.LittleEndian.PutUint64(record[:], id.key)
	record[8] = id.bin
	binary.LittleEndian.PutUint32(record[9:], uint32(line))
	if s.ascending != nil {
		_, _ = s.ascending.Write(record[:]) // writes to a stream never fail
		return
	}
	bin := &s.bins[id.bin]
	_, _ = bin.stream.Write(record[:])
	if bin.hashes != nil {
		bin.hashes[id.key] = struct{}{}
	}
}

// forEachID calls visit with the IDs of a stream, in the order in which they were added,
// until visit returns false.
func forEachID(stream *spill.Stream, visit func(id hashedID, line int) bool) error {
	src := bufio.NewReader(stream.Reader(stream.Len()))
	var record [idRecordBytes]byte
	for {
		switch _, err := io.ReadFull(src, record[:]); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading row IDs from a temporary file: %w", err)
		}
		id := hashedID{binary.LittleEndian.Uint64(record[:]), record[8]}
		if !visit(id, int(binary.LittleEndian.Uint32(record[9:]))) {
			return nil
		}
	}
}

// ChunkIDs are the IDs of a chunk.
type ChunkIDs struct {
	hashed      []hashedID
	first, last []byte
	unordered   bool // not in ascending order
}

// HashChunk sets ids to the IDs in a field of a chunk. It is safe for concurrent use.
func (s *Set) HashChunk(ids *ChunkIDs, chunk *csvfile.ParsedChunk, field int) {
	*ids = ChunkIDs{hashed: ids.hashed[:0]}
	for row := range chunk.Rows {
		id := bytes.TrimSpace(chunk.Cell(row, field))
		if row == 0 {
			ids.first = id
		}
		ids.unordered = ids.unordered || !ascends(id, ids.last)
		ids.last = id
		ids.hashed = append(ids.hashed, s.hash(id))
	}
}

// AddChunk adds the IDs of a chunk, which starts in the given line.
func (s *Set) AddChunk(ids *ChunkIDs, chunk *csvfile.ParsedChunk, line int) {
	if len(ids.hashed) == 0 {
		return
	}
	s.splitUnlessAscending(ids.first, ids.last, ids.unordered)
	for row, id := range ids.hashed {
		s.store(id, line+int(chunk.RowLines[row]))
	}
}

// Has reports whether an ID was added. It reads hashes from disk and then keeps them in memory.
func (s *Set) Has(id []byte) (found bool, err error) {
	if s.ascending != nil {
		s.splitIntoBins()
	}
	hashed := s.hash(bytes.TrimSpace(id))
	bin := &s.bins[hashed.bin]
	if bin.hashes == nil && s.err == nil {
		known := make(map[uint64]struct{})
		s.err = forEachID(bin.stream, func(id hashedID, _ int) bool {
			known[id.key] = struct{}{}
			return true
		})
		bin.hashes = known
	}
	_, known := bin.hashes[hashed.key]
	return known, s.err
}

// Duplicate is a pair of rows with the same ID. The first row is in line FirstLine, and the later
// row in line Line.
type Duplicate struct{ Line, FirstLine int }

// Duplicates returns the duplicates with the lowest lines, at most limit, and the total
// number of duplicates. The IDs must have been added in the order of their lines.
func (s *Set) Duplicates(ctx context.Context, limit int) (found []Duplicate, count int, err error) {
	if s.ascending != nil {
		return nil, 0, nil
	}
	firsts := make(map[uint64]int) // the first line of each ID in the bin
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
				found = append(found, Duplicate{line, first})
			}
			return true
		})
		if len(found) > limit {
			found = lowestLines(found, limit)
		}
	}
	return lowestLines(found, limit), count, s.err
}

func lowestLines(found []Duplicate, limit int) []Duplicate {
	sort.Slice(found, func(i, j int) bool { return found[i].Line < found[j].Line })
	return found[:min(len(found), limit)]
}
