package receipt

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// BlockDigests has digests of blocks of lines, which show where a file was changed:
//
//	line 1 … n   line n+1 … 2n   …   the rest
//	└ 8 bytes ┘  └─ 8 bytes ──┘      └ 8 bytes┘
//
// There are at most maxBlocks blocks, so that the receipt of a long result stays short.
type BlockDigests struct {
	// Lines is the number of lines per block.
	Lines int `json:"lines"`
	// Digests holds the first 8 bytes of each block's SHA-256, in hex.
	Digests string `json:"sums"`
}

const (
	maxBlocks       = 512
	blockDigestSize = 8 // bytes
)

func (b BlockDigests) isValid() bool {
	_, err := hex.DecodeString(b.Digests)
	return err == nil && b.Lines > 0 && len(b.Digests) > 0 && len(b.Digests)%(2*blockDigestSize) == 0
}

// DigestFiles returns the digest of the concatenation of files.
func DigestFiles(ctx context.Context, paths ...string) (Digest, error) {
	if len(paths) == 1 {
		return hashFile(ctx, paths[0], func([]byte) {})
	}
	all, n := sha256.New(), int64(0)
	for _, path := range paths {
		sum, err := hashFile(ctx, path, func(part []byte) { all.Write(part) })
		if err != nil {
			return Digest{}, err
		}
		n += sum.Bytes
	}
	return Digest{Bytes: n, SHA256: hex.EncodeToString(all.Sum(nil))}, nil
}

// DigestResult returns the digest of a result and the digests of its blocks. It reads the result
// twice, each time from its beginning.
func DigestResult(ctx context.Context, result io.ReadSeeker) (digest Digest, blocks BlockDigests, err error) {
	lines := 1
	if _, err := hashFromStart(ctx, result, func(part []byte) { lines += bytes.Count(part, []byte{'\n'}) }); err != nil {
		return Digest{}, BlockDigests{}, err
	}
	b := &blockHasher{lines: (lines + maxBlocks - 1) / maxBlocks, limit: maxBlocks * blockDigestSize, hash: sha256.New()}
	sum, err := hashFromStart(ctx, result, b.write)
	b.endBlock()
	return sum, BlockDigests{Lines: b.lines, Digests: hex.EncodeToString(b.digests)}, err
}

// hashFromStart is like hashReader, but first seeks to the beginning of the file.
func hashFromStart(ctx context.Context, file io.ReadSeeker, onChunk func(part []byte)) (Digest, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Digest{}, err
	}
	return hashReader(ctx, file, onChunk)
}

// hashFile is like hashReader for the file at path.
func hashFile(ctx context.Context, path string, onChunk func(part []byte)) (Digest, error) {
	file, err := os.Open(path)
	if err != nil {
		return Digest{}, err
	}
	defer file.Close()
	return hashReader(ctx, file, onChunk)
}

// hashReader returns the digest of the contents of r, and calls onChunk with each chunk of
// the contents.
func hashReader(ctx context.Context, r io.Reader, onChunk func(part []byte)) (Digest, error) {
	whole, src, n := sha256.New(), bufio.NewReaderSize(r, 256<<10), int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return Digest{}, err
		}
		part, err := src.Peek(src.Size())
		if len(part) == 0 {
			if errors.Is(err, io.EOF) {
				return Digest{Bytes: n, SHA256: hex.EncodeToString(whole.Sum(nil))}, nil
			}
			return Digest{}, err
		}
		whole.Write(part)
		onChunk(part)
		n += int64(len(part))
		_, _ = src.Discard(len(part)) // buffered bytes can always be discarded
	}
}

// blockHasher digests blocks of lines.
type blockHasher struct {
	lines     int  // lines in a block
	limit     int  // the maximum length of digests; later blocks are not digested
	linesDone int  // number of lines that ended in the current block
	open      bool // whether the current block has bytes
	hash      hash.Hash
	digests   []byte
}

func (b *blockHasher) write(part []byte) {
	for len(part) > 0 && len(b.digests) < b.limit {
		at := bytes.IndexByte(part, '\n') + 1
		if at == 0 {
			at = len(part)
		} else {
			b.linesDone++
		}
		b.hash.Write(part[:at])
		b.open = true
		if part = part[at:]; b.linesDone == b.lines {
			b.endBlock()
		}
	}
}

// endBlock ends the current block.
func (b *blockHasher) endBlock() {
	if !b.open {
		return
	}
	b.digests = append(b.digests, b.hash.Sum(nil)[:blockDigestSize]...)
	b.hash.Reset()
	b.linesDone, b.open = 0, false
}

// LineDifference is the error for a result whose digest differs from the digest in its receipt.
type LineDifference struct {
	// From and To are the first and the last line of the block with the first difference, counted
	// from 1. To is 0 if the only difference is that the file ends too early or too late. Both are
	// 0 if all lines match.
	From, To int
	text     string
}

func (d *LineDifference) Error() string { return d.text }

// CheckDigest reads a result from its beginning, and compares its digest with the digest in the
// receipt. It returns a *LineDifference if they differ.
func (r *Receipt) CheckDigest(ctx context.Context, result io.ReadSeeker) error {
	want, _ := hex.DecodeString(r.Result.Blocks.Digests) // valid, because Read checks it
	// A block that the receipt does not have shows that the file has extra lines.
	b := &blockHasher{lines: r.Result.Blocks.Lines, limit: len(want) + blockDigestSize, hash: sha256.New()}
	sum, err := hashFromStart(ctx, result, b.write)
	if err != nil || sum == r.Result.Digest {
		return err
	}
	b.endBlock()
	same := 0
	for same < min(len(want), len(b.digests)) && bytes.Equal(want[same:same+blockDigestSize], b.digests[same:same+blockDigestSize]) {
		same += blockDigestSize
	}
	return r.newLineDifference(sum, same/blockDigestSize, same == len(want), same == len(b.digests))
}

// newLineDifference returns the error for a file whose digest is sum. equalBlocks is the number of
// equal blocks before the first difference. receiptEnds and fileEnds report whether the receipt and
// the file have no blocks after these.
func (r *Receipt) newLineDifference(sum Digest, equalBlocks int, receiptEnds, fileEnds bool) *LineDifference {
	lines := r.Result.Blocks.Lines
	d := &LineDifference{From: equalBlocks*lines + 1, To: (equalBlocks + 1) * lines}
	where := fmt.Sprintf("the first difference is in line %d", d.From)
	switch {
	case receiptEnds && fileEnds:
		return &LineDifference{text: "the receipt was changed: the digests of all blocks of lines are right, but its SHA-256 differs from the SHA-256 of the file"}
	case receiptEnds:
		d.To, where = 0, fmt.Sprintf("there are extra lines from line %d", d.From)
	case fileEnds:
		d.To, where = 0, fmt.Sprintf("the lines from line %d are missing", d.From)
	case lines > 1:
		where = fmt.Sprintf("the first difference is in lines %d to %d", d.From, d.To)
	}
	if sum.Bytes == r.Result.Bytes {
		d.text = fmt.Sprintf("the SHA-256 of the file differs from the receipt: %s", where)
	} else {
		d.text = fmt.Sprintf("the file has %d bytes, but the receipt says %d: %s", sum.Bytes, r.Result.Bytes, where)
	}
	return d
}
