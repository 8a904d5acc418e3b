package storedfile

import (
	"errors"
	"testing"
)

func TestCheckFilesBelongToDatabase(t *testing.T) {
	t.Parallel()
	const bucket, otherBucket = "s3://one#1", "s3://two#2" // the blobs are in s3://one
	for _, tt := range []struct {
		name, databaseID, filesID string
		referenced, stored        []string
		want                      error
	}{
		{"both are new", "", "", nil, nil, nil},
		{"the files of another bucket", otherBucket, "", []string{"a"}, nil, ErrOtherStorage},
		{"the files of another bucket, with files of an earlier database", otherBucket, "1", []string{"a"}, []string{"a"}, ErrOtherStorage},
		{"the files of another bucket, without files", otherBucket, bucket, nil, nil, ErrOtherStorage},
		{"files that were moved here by hand", otherBucket, "", []string{"a", "b"}, []string{"a"}, nil},
		{"another process adds the location", bucket, "1", []string{"a"}, []string{"a"}, nil},
		{"two folders with files", "1", "2", []string{"a"}, []string{"a"}, ErrMismatch},
		{"two folders without files", "1", "2", nil, nil, nil},
		{"an early release, with a common file", "", "", []string{"a", "b"}, []string{"b"}, nil},
		{"all files are missing", "1", "", []string{"a"}, nil, ErrFilesGone},
		{"a new database", "", "1", nil, []string{"a"}, ErrMismatch},
		{"the same bucket without an identity", bucket, "", []string{"a"}, []string{"a"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := checkFilesBelongToDatabase(tt.databaseID, tt.filesID, tt.referenced, tt.stored, "s3://one", "s3://one")
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if errors.Is(tt.want, ErrMismatch) && !errors.Is(tt.want, ErrFilesGone) && !errors.Is(tt.want, ErrOtherStorage) && (errors.Is(err, ErrFilesGone) || errors.Is(err, ErrOtherStorage)) { // both wrap ErrMismatch
				t.Errorf("%v, want only %v", err, tt.want)
			}
		})
	}
}
