// Package auth holds the cryptography of accounts: password hashes, bearer
// tokens and signed addresses. All of it is pure; who may do what is decided
// elsewhere.
package auth
