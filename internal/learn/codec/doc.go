// Package codec reads and writes the binary form of models.
//
// A Reader and a Writer remember their first error, so that callers check it once at the
// end. All numbers are little endian; numbers of variable size are uvarints of
// encoding/binary. A Reader compares every length with the number of bytes that are left
// before it allocates memory, so that malformed input cannot exhaust memory.
package codec
