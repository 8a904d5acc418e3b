// Package auth implements the cryptography of accounts: password hashes, bearer tokens and signed
// URLs. It also limits attempts to log in. Which account may do what is decided elsewhere.
package auth
