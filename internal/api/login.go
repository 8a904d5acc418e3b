package api

// TokenLifetime is how long a bearer token is valid, in seconds.
const TokenLifetime = 3600

// LogInInput is the request of [LogIn].
type LogInInput struct {
	Body Credentials
}

// Credentials are an account's email and password.
type Credentials struct {
	Username string `json:"username" doc:"The account's email address." minLength:"1" maxLength:"320"`
	Password string `json:"password" doc:"The account's password." minLength:"1" maxLength:"1024"`
	// AuthenticatorCode is required if the account has an authenticator app.
	AuthenticatorCode string `json:"authenticatorCode,omitempty" doc:"The six digits that the authenticator app of the account shows, if it has one." maxLength:"20"`
}

// Session is a bearer token and its lifetime.
type Session struct {
	AccessToken string `json:"access_token" doc:"The bearer token."`
	TokenType   string `json:"token_type" doc:"Bearer"`
	ExpiresIn   int    `json:"expires_in" doc:"Seconds until the token expires: 3600."`
	Username    string `json:"username" doc:"The account's email address."`
}
