// Package frame holds a table as typed columns, the form that the learning engine uses: a
// Frame of numeric and category Columns, as its Schema describes them. It is built on
// csvfile and cells; package profile infers a Schema, package learn uses the frames.
//
//	Load         a whole file with a Schema   → Frame
//	BlockReader  a blind file, block by block → Blocks, which keep the bytes of each row
//
// The columns of a Schema are features: a date becomes its weekday, hour and so on, a text
// its words; an uninformative column has no features.
package frame
