// Package auth implements the cryptography of accounts: password hashes, bearer
// tokens and signed URLs. It does not decide who may do what.
package auth
