// Package dupid finds duplicate row IDs in a file of any size, with a fixed amount of
// memory and a temporary file. It uses the packages csvfile and spill. The packages frame,
// profile and repair use it.
package dupid
