// Package auth implements the cryptography of accounts: password hashes, bearer
// tokens and signed URLs. It also limits attempts to log in, but does not
// decide who may do what.
package auth
