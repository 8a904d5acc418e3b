package auth

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// BreachedPasswords is a file with the SHA-1 hashes of passwords that are known from data breaches.
// The file has the format of Pwned Passwords (https://haveibeenpwned.com/Passwords): sorted, one
// hash a line, 40 hexadecimal digits, optionally followed by a colon and a count. The file has 40
// GB, so a lookup is a binary search that reads about 35 lines.
type BreachedPasswords struct {
	file *os.File
	// size is the size of the file in bytes.
	size int64
}

// maxBreachedLineBytes is the maximum length, in bytes, of a line in a file of breached
// passwords.
const maxBreachedLineBytes = 80

// OpenBreachedPasswords opens a file of hashes. It returns an error if the first or the last line
// is not a hash, or if the first hash is greater than the last. The caller must call Close.
func OpenBreachedPasswords(path string) (*BreachedPasswords, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := &BreachedPasswords{file: file}
	if err := b.checkFormat(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return b, nil
}

func (b *BreachedPasswords) checkFormat() error {
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	b.size = info.Size()
	first, _, err := b.hashAfter(0)
	if errors.Is(err, io.EOF) {
		return errors.New("the file has no hashes")
	}
	if err != nil {
		return err
	}
	last, _, err := b.hashAfter(max(0, b.size-maxBreachedLineBytes))
	if err == nil && bytes.Compare(first, last) > 0 {
		err = errors.New("the hashes are not sorted: download the list that is ordered by hash")
	}
	return err
}

// Close closes the file.
func (b *BreachedPasswords) Close() error { return b.file.Close() }

// Contains reports whether the file contains the hash of a password.
func (b *BreachedPasswords) Contains(password string) (bool, error) {
	sum := sha1.Sum([]byte(password))
	want := bytes.ToUpper([]byte(hex.EncodeToString(sum[:])))
	// If the file contains the hash, the line of the hash begins at low or later, and before high.
	for low, high := int64(0), b.size; low < high; {
		middle := low + (high-low)/2
		hash, end, err := b.hashAfter(middle)
		if errors.Is(err, io.EOF) { // no line begins after the middle
			high = middle
			continue
		}
		if err != nil {
			return false, err
		}
		switch bytes.Compare(want, hash) {
		case 0:
			return true, nil
		case 1:
			low = end
		default:
			high = middle
		}
	}
	return false, nil
}

// hashAfter returns the hash in the first line that begins at offset or later, in upper case, and
// the offset of the end of this line. It returns io.EOF if no line begins there.
func (b *BreachedPasswords) hashAfter(offset int64) (hash []byte, end int64, err error) {
	text := make([]byte, 2*maxBreachedLineBytes)
	start := max(0, offset-1) // if the byte before offset is a line feed, a line begins at offset
	n, err := b.file.ReadAt(text, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	text = text[:n]
	if offset > 0 {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return nil, 0, io.EOF
		}
		text, start = text[i+1:], start+int64(i)+1
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if len(line) == 0 {
		return nil, 0, io.EOF
	}
	hash, _, _ = bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(":"))
	if sum, err := hex.DecodeString(string(hash)); err != nil || len(sum) != sha1.Size {
		return nil, 0, fmt.Errorf("at byte %d: not a SHA-1 hash of 40 hexadecimal digits", start)
	}
	return bytes.ToUpper(hash), start + int64(len(line)) + 1, nil
}
