// Package codec reads and writes the binary form of models.
//
// A Reader and a Writer remember their first error, so that callers need to check for an error only
// once, at the end. All numbers are little endian; numbers of variable size are uvarints of
// encoding/binary. Before a Reader allocates memory, it compares the required length with the
// number of bytes that are left, so that malformed input cannot exhaust memory.
package codec
