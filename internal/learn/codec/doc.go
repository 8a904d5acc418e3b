// Package codec reads and writes the binary form of models.
//
// A Reader and a Writer remember their first error, so that callers check it
// once at the end. All numbers are little endian; those of variable size are
// uvarints of encoding/binary. A Reader checks every length against the bytes
// that are left before it allocates, so that malformed input cannot exhaust
// memory.
package codec
