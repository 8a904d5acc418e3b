// Package dupid finds duplicate row IDs in a file of any size, with a fixed amount of
// memory and the rest on disk. It is built on csvfile, for the IDs of a chunk, and on
// spill, for the temporary file; frame, profile and repair check their IDs with it.
package dupid
