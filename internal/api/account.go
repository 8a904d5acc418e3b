package api

// The roles of accounts.
const (
	RoleUser          = "user"
	RoleAdministrator = "administrator"
)

// The states of an account.
const (
	AccountInvited  = "INVITED"  // it has no password yet
	AccountActive   = "ACTIVE"   // it can log in
	AccountDisabled = "DISABLED" // it cannot log in; its data is kept
)

// The statuses of a request for an account.
const (
	RequestPending  = "PENDING"
	RequestApproved = "APPROVED"
	RequestRefused  = "REFUSED"
)

// RequestAccessInput is the request of [RequestAccess].
type RequestAccessInput struct {
	Body NewAccessRequest
}

// NewAccessRequest is the form with which a person requests an account.
type NewAccessRequest struct {
	Name         string `json:"name" doc:"The person's name." minLength:"1" maxLength:"100"`
	Organisation string `json:"organisation" doc:"The person's organisation." minLength:"1" maxLength:"100"`
	Email        string `json:"email" doc:"The email address of the account. If the service can send emails, it sends the one-time link to this address." minLength:"3" maxLength:"320"`
	Reason       string `json:"reason" doc:"What the account is for." minLength:"1" maxLength:"1000"`
}

// SetPasswordInput is the request of [SetPassword].
type SetPasswordInput struct {
	Body NewPassword
}

// NewPassword is a password to set with a one-time link.
type NewPassword struct {
	Code     string  `json:"code" doc:"The code of the one-time link." minLength:"1" maxLength:"100"`
	Password string  `json:"password" doc:"The new password: at least 10 characters, not the email address and not a common password." minLength:"10" maxLength:"1024"`
	Email    *string `json:"email,omitempty" doc:"The email address of the first administrator. Only for the link that a service without an administrator prints." minLength:"3" maxLength:"320" nullable:"false"`
}

// RequestPasswordInput is the request of [RequestPassword].
type RequestPasswordInput struct {
	Body ForgottenPassword
}

// ForgottenPassword says whose password was forgotten.
type ForgottenPassword struct {
	Email string `json:"email" doc:"The email address of the account; the link is sent to it." minLength:"3" maxLength:"320"`
}

// PasswordOwner is the account whose password was set.
type PasswordOwner struct {
	Username string `json:"username" doc:"The account's email address, to log in with."`
}

// ChangePasswordInput is the request of [ChangePassword].
type ChangePasswordInput struct {
	Body PasswordChange
}

// PasswordChange is the current and the new password of the caller.
type PasswordChange struct {
	CurrentPassword string `json:"currentPassword" doc:"The account's password." minLength:"1" maxLength:"1024"`
	NewPassword     string `json:"newPassword" doc:"At least 10 characters, not the email address and not a common password." minLength:"10" maxLength:"1024"`
}

// AddSecondFactorInput is the request of [AddSecondFactor].
type AddSecondFactorInput struct {
	Body SecondFactorPassword
}

// SecondFactorPassword is the caller's password, which is required to set up an authenticator app.
type SecondFactorPassword struct {
	CurrentPassword string `json:"currentPassword" doc:"The account's password." minLength:"1" maxLength:"1024"`
}

// SecondFactor is the secret that an account and its authenticator app share.
type SecondFactor struct {
	Secret string `json:"secret" doc:"The secret in base32, for apps that have no camera."`
	URL    string `json:"url" doc:"The otpauth URL of the secret, for a QR code."`
}

// ConfirmSecondFactorInput is the request of [ConfirmSecondFactor].
type ConfirmSecondFactorInput struct {
	Body SecondFactorCode
}

// SecondFactorCode is a code that a new authenticator app shows.
type SecondFactorCode struct {
	AuthenticatorCode string `json:"authenticatorCode" doc:"The six digits that the app shows." minLength:"1" maxLength:"20"`
}

// RemoveSecondFactorInput is the request of [RemoveSecondFactor].
type RemoveSecondFactorInput struct {
	Body SecondFactorRemoval
}

// SecondFactorRemoval has the credentials that are required to remove the authenticator app.
type SecondFactorRemoval struct {
	CurrentPassword   string `json:"currentPassword" doc:"The account's password." minLength:"1" maxLength:"1024"`
	AuthenticatorCode string `json:"authenticatorCode" doc:"The six digits that the app shows." minLength:"1" maxLength:"20"`
}

// Account is a user of the service.
type Account struct {
	AccountKey   string `json:"accountKey" doc:"The account's key." format:"uuid"`
	Email        string `json:"email" doc:"The email address to log in with."`
	Name         string `json:"name" doc:"The person's name; empty if unknown."`
	Organisation string `json:"organisation" doc:"The person's organisation; empty if unknown."`
	Role         string `json:"role" doc:"The permissions of the account." enum:"user,administrator"`
	State        string `json:"state" doc:"INVITED: the account has no password yet. ACTIVE: its owner can log in. DISABLED: its owner cannot log in." enum:"INVITED,ACTIVE,DISABLED"`
	SecondFactor bool   `json:"secondFactor" doc:"Whether a log-in needs the code of an authenticator app."`
	Quota        Quota  `json:"quota" doc:"The limits of the account."`
	Usage        *Usage `json:"usage,omitempty" doc:"How much of its quota the account uses; absent in lists."`
	CreatedOn    string `json:"createdOn" doc:"When the account was created."`
}

// Quota limits the datasets, files and races of an account. Nil means no limit.
type Quota struct {
	Datasets *int64 `json:"datasets" doc:"Maximum number of datasets." minimum:"0" nullable:"true"`
	Bytes    *int64 `json:"bytes" doc:"Maximum bytes of all stored files: datasets, models, blind files and results. The models of accepted races are stored even if they exceed it. The result of an accepted prediction may exceed it by at most 534,773,760 bytes; otherwise, the prediction is FAILED." minimum:"0" nullable:"true"`
	Races    *int64 `json:"races" doc:"Maximum number of races that are PENDING or RUNNING. The jobs of single algorithms do not count." minimum:"0" nullable:"true"`
}

// Usage is how much an account uses of its [Quota].
type Usage struct {
	Datasets int64 `json:"datasets" doc:"Number of datasets."`
	Bytes    int64 `json:"bytes" doc:"Bytes of all stored files."`
	Races    int64 `json:"races" doc:"Number of races that are PENDING or RUNNING."`
}

// AccountInput identifies an account.
type AccountInput struct {
	AccountKey string `path:"accountKey" doc:"The account's key." format:"uuid"`
}

// ListAccountsInput is the request of [ListAccounts].
type ListAccountsInput struct {
	PageInput
}

// AccountPage is a page of accounts.
type AccountPage struct {
	Accounts []Account `json:"accounts" doc:"The accounts, newest first." nullable:"false"`
	Page
}

// CreateAccountInput is the request of [CreateAccount].
type CreateAccountInput struct {
	Body NewAccount
}

// NewAccount is an account to create. Its owner sets the password with a one-time
// link.
type NewAccount struct {
	Email        string `json:"email" doc:"The email address to log in with." minLength:"3" maxLength:"320"`
	Name         string `json:"name,omitempty" doc:"The person's name." maxLength:"100"`
	Organisation string `json:"organisation,omitempty" doc:"The person's organisation." maxLength:"100"`
	Role         string `json:"role,omitempty" doc:"Defaults to user." enum:"user,administrator"`
}

// Invitation is an account whose owner may set a password with a one-time link.
type Invitation struct {
	AccountKey string `json:"accountKey" doc:"The account's key." format:"uuid"`
	Email      string `json:"email" doc:"The account's email address."`
	// Link is absent if the service sends it by email.
	Link      string `json:"link,omitempty" doc:"The one-time link to set the password, to be passed on to the owner; absent if the service sends it by email."`
	ExpiresOn string `json:"expiresOn,omitempty" doc:"When the link expires."`
}

// SetQuotaInput is the request of [SetQuota].
type SetQuotaInput struct {
	AccountInput
	Body Quota
}

// SetRoleInput is the request of [SetRole].
type SetRoleInput struct {
	AccountInput
	Body NewRole
}

// NewRole is the new role of an account.
type NewRole struct {
	Role string `json:"role" doc:"The permissions of the account." enum:"user,administrator"`
}

// AccessRequest is a request for an account.
type AccessRequest struct {
	RequestKey   string `json:"requestKey" doc:"The request's key." format:"uuid"`
	Email        string `json:"email" doc:"The email address of the account."`
	Name         string `json:"name" doc:"The person's name."`
	Organisation string `json:"organisation" doc:"The person's organisation."`
	Reason       string `json:"reason" doc:"What the account is for."`
	Status       string `json:"status" doc:"Whether the request is pending, was approved or was refused." enum:"PENDING,APPROVED,REFUSED"`
	CreatedOn    string `json:"createdOn" doc:"When the request was sent."`
	DecidedOn    string `json:"decidedOn,omitempty" doc:"When the request was approved or refused."`
	DecidedBy    string `json:"decidedBy,omitempty" doc:"Who approved or refused the request."`
}

// ListAccessRequestsInput is the request of [ListAccessRequests].
type ListAccessRequestsInput struct {
	PageInput
	Status string `query:"status" doc:"Only requests with this status." enum:"PENDING,APPROVED,REFUSED"`
}

// AccessRequestPage is a page of requests for an account.
type AccessRequestPage struct {
	AccessRequests []AccessRequest `json:"accessRequests" doc:"The requests, newest first." nullable:"false"`
	Page
}

// AccessRequestInput identifies a request for an account.
type AccessRequestInput struct {
	RequestKey string `path:"requestKey" doc:"The request's key." format:"uuid"`
}

// AuditEvent records who did what.
type AuditEvent struct {
	EventKey      string `json:"eventKey" doc:"The event's key." format:"uuid"`
	Time          string `json:"time" doc:"When the event happened, to the microsecond."`
	Actor         string `json:"actor" doc:"The email address of the account that caused the event; for a failed log-in, the email address in the request. If a command on the data folder caused the event, the value is operator. If the service itself caused it, the value is service. If a log-in failed with a name that is not an email address, the value is unknown, and the name is not stored, because it may be a password."`
	Action        string `json:"action" doc:"What was done, such as login or dataset.delete."`
	Object        string `json:"object" doc:"The key of the changed or read object, the email address of the account, or the name of the setting; may be empty."`
	Detail        string `json:"detail,omitempty" doc:"The new values of a changed quota, role or setting, such as datasets=1 bytes=1000000 races=none."`
	RemoteAddress string `json:"remoteAddress" doc:"The address of the client; an IPv6 address as its /64 network."`
	RequestID     string `json:"requestId" doc:"ID of the request, as in the service's log."`
	Outcome       string `json:"outcome" doc:"Whether the operation was done or refused." enum:"done,refused"`
}

// ListAuditEventsInput is the request of [ListAuditEvents].
type ListAuditEventsInput struct {
	PageInput
	Actor  string `query:"actor" doc:"Only events of this actor." maxLength:"320"`
	Action string `query:"action" doc:"Only events of this action." maxLength:"100"`
}

// AuditEventPage is a page of the audit log.
type AuditEventPage struct {
	Events []AuditEvent `json:"events" doc:"The events, newest first." nullable:"false"`
	Page
}
