// Package api is the contract between client and server: the wire types, the
// error codes and the table of endpoints. Of the other packages of this module, it
// imports only humanize, so that client and server share nothing but this contract.
//
// An operation is one typed value, such as [GetDataset]: the server mounts it,
// the client calls it, and the OpenAPI document and docs/api.md are generated
// from it.
package api

import (
	"net/url"
	"strings"
)

// Operation describes an endpoint, except for its request and response types.
type Operation struct {
	// ID identifies the operation, such as "getDataset". The config file of the command line can
	// give an operation another path by its ID.
	ID string
	// Method is the HTTP method. Path has parameters in braces.
	Method, Path string
	// Aliases are additional paths of the same operation.
	Aliases []string
	// Summary is one sentence for the reference.
	Summary string
	// Status is the HTTP status of a successful response.
	Status int
	// Origin says who defined the operation.
	Origin Origin
	// Public reports whether the operation needs no bearer token.
	Public bool
	// Administrator reports whether only administrators may call the operation. Others get 403.
	Administrator bool
}

// PathOf returns the path of an operation with key in place of its parameter. The path must have exactly
// one parameter. PathOf is not a method, because the compiler would make a copy for each type of Endpoint.
func PathOf(o Operation, key string) string {
	before, rest, _ := strings.Cut(o.Path, "{")
	_, after, _ := strings.Cut(rest, "}")
	return before + url.PathEscape(key) + after
}

// Origin says who defined a part of the contract.
type Origin string

// The origins, from the most to the least binding.
const (
	Documented Origin = "documented" // the service's published documentation
	Decided    Origin = "decided"    // designed by this project because the documentation does not describe it; other deployments may differ
	Extension  Origin = "extension"  // an addition of this project
)

// Endpoint is an operation with its request and response types.
//
// In is a struct. Its fields tagged `path:"…"` and `query:"…"` are parameters,
// and a field named Body is sent as JSON. Out is the JSON body of the response, or
// [None].
type Endpoint[In, Out any] struct {
	Operation
}

// None is the request type of an operation without parameters and body, and the response type of an
// operation without a body.
type None struct{}

// The endpoints. AddData, CreatePrediction and CreatePredictionByForm take a
// multipart body with the part `file`. UploadData takes the raw bytes of the CSV. DownloadResult
// returns a CSV, and DownloadModel a model file. The types In and Out do not contain these bodies.
var (
	LogIn = Endpoint[LogInInput, Session]{Operation{
		ID: "logIn", Method: "POST", Path: "/api/login", Status: 200, Origin: Documented, Public: true,
		Summary: "Exchange an account's email address and password for a bearer token that is valid for 3600 s.",
	}}

	ListDatasets = Endpoint[ListDatasetsInput, DatasetPage]{Operation{
		ID: "listDatasets", Method: "GET", Path: "/api/v1/datasets", Status: 200, Origin: Documented,
		Summary: "List the account's datasets, newest first.",
	}}
	CreateDataset = Endpoint[CreateDatasetInput, CreatedDataset]{Operation{
		ID: "createDataset", Method: "POST", Path: "/api/v1/datasets", Status: 201, Origin: Documented,
		Summary: "Create an empty dataset in state PENDING; the response says where to upload its CSV.",
	}}
	GetDataset = Endpoint[DatasetInput, Dataset]{Operation{
		ID: "getDataset", Method: "GET", Path: "/api/v1/datasets/{datasetKey}", Status: 200, Origin: Documented,
		Summary: "Read a dataset: its state and, once prepared, its columns and classes.",
	}}
	AddData = Endpoint[DatasetInput, DatasetEntry]{Operation{
		ID: "addData", Method: "POST", Path: "/api/v1/datasets/{datasetKey}/data", Status: 200, Origin: Documented,
		Summary: "Add a CSV of at most 32 MB to a PENDING dataset (multipart, part `file`).",
	}}
	UploadData = Endpoint[UploadInput, DatasetEntry]{Operation{
		ID: "uploadData", Method: "PUT", Path: "/api/v1/datasets/{datasetKey}/upload", Status: 200, Origin: Documented,
		Summary: "Upload a CSV of 10 to 534,773,760 bytes to a PENDING dataset, as raw bytes to its uploadUrl.",
	}}
	DeleteDataset = Endpoint[DatasetInput, None]{Operation{
		ID: "deleteDataset", Method: "DELETE", Path: "/api/v1/datasets/{datasetKey}", Status: 204, Origin: Extension,
		Summary: "Delete a dataset with its training jobs, models, predictions and files.",
	}}

	CreateTraining = Endpoint[CreateTrainingInput, CreatedTraining]{Operation{
		ID: "createTraining", Method: "POST", Path: "/api/v1/training/datasets/{datasetKey}", Status: 201, Origin: Documented,
		Summary: "Start a race of the training algorithms on a COMPLETED dataset.",
	}}
	ListTrainings = Endpoint[ListTrainingsInput, TrainingPage]{Operation{
		ID: "listTrainings", Method: "GET", Path: "/api/v1/training", Status: 200, Origin: Decided,
		Summary: "List all training jobs, newest first. With parentOnly, the jobs of single algorithms are omitted.",
	}}
	ListTrainingsOfDataset = Endpoint[ListTrainingsOfDatasetInput, TrainingPage]{Operation{
		ID: "listTrainingsOfDataset", Method: "GET", Path: "/api/v1/training/datasets/{datasetKey}", Status: 200, Origin: Decided,
		Summary: "List the training jobs of a dataset, newest first.",
	}}
	GetTraining = Endpoint[TrainingInput, Training]{Operation{
		ID: "getTraining", Method: "GET", Path: "/api/v1/training/{trainingJobKey}", Status: 200, Origin: Documented,
		Summary: "Read a training job.",
	}}
	GetTrainingProgress = Endpoint[TrainingProgressInput, TrainingProgress]{Operation{
		ID: "getTrainingProgress", Method: "GET", Path: "/api/v1/training/{trainingJobKey}/progress", Status: 200, Origin: Documented,
		Aliases: []string{"/api/training/{trainingJobKey}/progress"},
		Summary: "Read the progress of each algorithm of a race.",
	}}
	CancelTraining = Endpoint[TrainingInput, Training]{Operation{
		ID: "cancelTraining", Method: "PATCH", Path: "/api/v1/training/{trainingJobKey}/cancel", Status: 200, Origin: Documented,
		Summary: "Cancel a PENDING or RUNNING training job; the best model so far is kept.",
	}}
	DeleteTraining = Endpoint[TrainingInput, None]{Operation{
		ID: "deleteTraining", Method: "DELETE", Path: "/api/v1/training/{trainingJobKey}", Status: 204, Origin: Extension,
		Summary: "Delete a finished training job with its model and predictions.",
	}}

	CreatePrediction = Endpoint[NewPrediction, CreatedPrediction]{Operation{
		ID: "createPrediction", Method: "POST", Path: "/api/v1/predictions/models/{modelKey}", Status: 201, Origin: Documented,
		Summary: "Predict the rows of a blind CSV with a model (multipart, part `file`).",
	}}
	CreatePredictionByForm = Endpoint[PredictionFormInput, CreatedPrediction]{Operation{
		ID: "createPredictionByForm", Method: "POST", Path: "/api/v1/predictions", Status: 201, Origin: Decided,
		Summary: "Predict the rows of a blind CSV with a model (multipart, parts `modelKey` and `file`).",
	}}
	GetPrediction = Endpoint[PredictionInput, Prediction]{Operation{
		ID: "getPrediction", Method: "GET", Path: "/api/v1/predictions/{predictionKey}", Status: 200, Origin: Documented,
		Summary: "Read a prediction; it has a predictionResultUrl once it is COMPLETED.",
	}}
	GetPredictionProgress = Endpoint[PredictionInput, PredictionProgress]{Operation{
		ID: "getPredictionProgress", Method: "GET", Path: "/api/v1/predictions/{predictionKey}/progress", Status: 200, Origin: Decided,
		Summary: "Read how many rows have been predicted.",
	}}
	GetPredictionDrift = Endpoint[PredictionInput, DriftReport]{Operation{
		ID: "getPredictionDrift", Method: "GET", Path: "/api/v1/predictions/{predictionKey}/drift", Status: 200, Origin: Extension,
		Summary: "Read how much the values of each column of the blind file differ from those of the training file (the drift). The prediction must be COMPLETED. The 100 columns that differ most also have parts: the ranges and texts whose frequencies were compared. The other columns have no parts.",
	}}
	ListPredictionsOfModel = Endpoint[ModelPageInput, PredictionPage]{Operation{
		ID: "listPredictionsOfModel", Method: "GET", Path: "/api/v1/predictions/models/{modelKey}", Status: 200, Origin: Decided,
		Summary: "List the predictions made with a model, newest first.",
	}}
	ListPredictionsOfDataset = Endpoint[DatasetPageInput, PredictionPage]{Operation{
		ID: "listPredictionsOfDataset", Method: "GET", Path: "/api/v1/predictions/datasets/{datasetKey}", Status: 200, Origin: Decided,
		Summary: "List the predictions made with any model of a dataset, newest first.",
	}}
	DownloadResult = Endpoint[ResultInput, None]{Operation{
		ID: "downloadResult", Method: "GET", Path: "/api/v1/predictions/{predictionKey}/result", Status: 200, Origin: Documented, Public: true,
		Summary: "Download a prediction's result CSV from its predictionResultUrl, a signed URL that is valid for one hour.",
	}}
	DeletePrediction = Endpoint[PredictionInput, None]{Operation{
		ID: "deletePrediction", Method: "DELETE", Path: "/api/v1/predictions/{predictionKey}", Status: 204, Origin: Extension,
		Summary: "Delete a prediction and its files.",
	}}

	ListModelsOfDataset = Endpoint[DatasetPageInput, ModelPage]{Operation{
		ID: "listModelsOfDataset", Method: "GET", Path: "/api/v1/models/datasets/{datasetKey}", Status: 200, Origin: Decided,
		Summary: "List the models of a dataset, newest first.",
	}}
	GetModel = Endpoint[ModelInput, Model]{Operation{
		ID: "getModel", Method: "GET", Path: "/api/v1/models/{modelKey}", Status: 200, Origin: Decided,
		Summary: "Read a model.",
	}}
	GetModelReport = Endpoint[ModelReportInput, ModelReport]{Operation{
		ID: "getModelReport", Method: "GET", Path: "/api/v1/models/{modelKey}/report", Status: 200, Origin: Extension,
		Summary: "Read the scores of a model on rows that it was not trained on, and the importance of the columns.",
	}}
	DownloadModel = Endpoint[ModelInput, None]{Operation{
		ID: "downloadModel", Method: "GET", Path: "/api/v1/models/{modelKey}/file", Status: 200, Origin: Extension,
		Summary: "Download the file of a model, as the service stores it.",
	}}
	SetModelState = Endpoint[SetModelStateInput, Model]{Operation{
		ID: "setModelState", Method: "PUT", Path: "/api/v1/models/{modelKey}/state", Status: 200, Origin: Extension,
		Summary: "Promote a model to the champion of its series, accept or reject it, or let the scores decide whether it is the champion.",
	}}
	DeleteModel = Endpoint[ModelInput, None]{Operation{
		ID: "deleteModel", Method: "DELETE", Path: "/api/v1/models/{modelKey}", Status: 204, Origin: Extension,
		Summary: "Delete a model and the predictions made with it.",
	}}
)

// The endpoints of accounts.
var (
	RequestAccess = Endpoint[RequestAccessInput, None]{Operation{
		ID: "requestAccess", Method: "POST", Path: "/api/account/requests", Status: 202, Origin: Extension, Public: true,
		Summary: "Request an account.",
	}}
	SetPassword = Endpoint[SetPasswordInput, PasswordOwner]{Operation{
		ID: "setPassword", Method: "POST", Path: "/api/account/password", Status: 200, Origin: Extension, Public: true,
		Summary: "Set the password of an account with the code of a one-time link.",
	}}
	RequestPassword = Endpoint[RequestPasswordInput, None]{Operation{
		ID: "requestPassword", Method: "POST", Path: "/api/account/password/requests", Status: 202, Origin: Extension, Public: true,
		Summary: "Request an email with a one-time link to set a new password, because the old one was forgotten.",
	}}
	LogOut = Endpoint[None, None]{Operation{
		ID: "logOut", Method: "DELETE", Path: "/api/v1/account/session", Status: 204, Origin: Extension,
		Summary: "Log out: end the session of the bearer token.",
	}}
	ListSessions = Endpoint[None, SessionList]{Operation{
		ID: "listSessions", Method: "GET", Path: "/api/v1/account/sessions", Status: 200, Origin: Extension,
		Summary: "List the sessions of the caller's account, newest first.",
	}}
	EndSession = Endpoint[SessionInput, None]{Operation{
		ID: "endSession", Method: "DELETE", Path: "/api/v1/account/sessions/{sessionKey}", Status: 204, Origin: Extension,
		Summary: "End a session of the caller's account: its token becomes invalid. If the caller logged in more than five minutes ago, only the session of this request can be ended.",
	}}
	EndOtherSessions = Endpoint[None, None]{Operation{
		ID: "endOtherSessions", Method: "DELETE", Path: "/api/v1/account/sessions", Status: 204, Origin: Extension,
		Summary: "End all sessions of the caller's account except the session of this request. The caller must have logged in at most five minutes ago.",
	}}
	GetOwnAccount = Endpoint[None, Account]{Operation{
		ID: "getOwnAccount", Method: "GET", Path: "/api/v1/account", Status: 200, Origin: Extension,
		Summary: "Read the caller's account, its quota and its usage.",
	}}
	ChangePassword = Endpoint[ChangePasswordInput, None]{Operation{
		ID: "changePassword", Method: "PUT", Path: "/api/v1/account/password", Status: 204, Origin: Extension,
		Summary: "Change the caller's password and end all its sessions.",
	}}
	AddSecondFactor = Endpoint[AddSecondFactorInput, SecondFactor]{Operation{
		ID: "addSecondFactor", Method: "POST", Path: "/api/v1/account/second-factor", Status: 200, Origin: Extension,
		Summary: "Request a secret for an authenticator app (RFC 6238, six digits, 30 seconds).",
	}}
	ConfirmSecondFactor = Endpoint[ConfirmSecondFactorInput, None]{Operation{
		ID: "confirmSecondFactor", Method: "PUT", Path: "/api/v1/account/second-factor", Status: 204, Origin: Extension,
		Summary: "Confirm the new authenticator app with a code, at most 15 minutes after it was added. From now on, each log-in needs a code. The other sessions of the account end.",
	}}
	RemoveSecondFactor = Endpoint[RemoveSecondFactorInput, None]{Operation{
		ID: "removeSecondFactor", Method: "PATCH", Path: "/api/v1/account/second-factor/remove", Status: 204, Origin: Extension,
		Summary: "Remove the authenticator app of the caller's account.",
	}}

	ListAccessRequests = Endpoint[ListAccessRequestsInput, AccessRequestPage]{Operation{
		ID: "listAccessRequests", Method: "GET", Path: "/api/v1/admin/requests", Status: 200, Origin: Extension, Administrator: true,
		Summary: "List the requests for an account, newest first.",
	}}
	ApproveAccessRequest = Endpoint[AccessRequestInput, Invitation]{Operation{
		ID: "approveAccessRequest", Method: "PATCH", Path: "/api/v1/admin/requests/{requestKey}/approve", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Approve a PENDING request: create its account, whose owner gets a one-time link to set the password.",
	}}
	RefuseAccessRequest = Endpoint[AccessRequestInput, AccessRequest]{Operation{
		ID: "refuseAccessRequest", Method: "PATCH", Path: "/api/v1/admin/requests/{requestKey}/refuse", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Refuse a PENDING request.",
	}}
	ListAccounts = Endpoint[ListAccountsInput, AccountPage]{Operation{
		ID: "listAccounts", Method: "GET", Path: "/api/v1/admin/accounts", Status: 200, Origin: Extension, Administrator: true,
		Summary: "List the accounts, newest first.",
	}}
	CreateAccount = Endpoint[CreateAccountInput, Invitation]{Operation{
		ID: "createAccount", Method: "POST", Path: "/api/v1/admin/accounts", Status: 201, Origin: Extension, Administrator: true,
		Summary: "Create an account, whose owner gets a one-time link to set the password.",
	}}
	GetAccount = Endpoint[AccountInput, Account]{Operation{
		ID: "getAccount", Method: "GET", Path: "/api/v1/admin/accounts/{accountKey}", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Read an account, its quota and its usage.",
	}}
	DisableAccount = Endpoint[AccountInput, Account]{Operation{
		ID: "disableAccount", Method: "PATCH", Path: "/api/v1/admin/accounts/{accountKey}/disable", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Disable an account: its sessions end, its jobs wait, its data is kept.",
	}}
	EnableAccount = Endpoint[AccountInput, Account]{Operation{
		ID: "enableAccount", Method: "PATCH", Path: "/api/v1/admin/accounts/{accountKey}/enable", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Enable a disabled account. Its password is unchanged.",
	}}
	ResetAccount = Endpoint[AccountInput, Invitation]{Operation{
		ID: "resetAccount", Method: "PATCH", Path: "/api/v1/admin/accounts/{accountKey}/reset", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Remove the password of an account and end its sessions; its owner gets a one-time link to set a new one.",
	}}
	RemoveSecondFactorOf = Endpoint[AccountInput, Account]{Operation{
		ID: "removeSecondFactorOf", Method: "PATCH", Path: "/api/v1/admin/accounts/{accountKey}/remove-second-factor", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Remove the authenticator app of an account whose owner has lost it, and end its sessions.",
	}}
	SetRole = Endpoint[SetRoleInput, Account]{Operation{
		ID: "setRole", Method: "PUT", Path: "/api/v1/admin/accounts/{accountKey}/role", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Make an account an administrator, or a user again.",
	}}
	SetQuota = Endpoint[SetQuotaInput, Account]{Operation{
		ID: "setQuota", Method: "PUT", Path: "/api/v1/admin/accounts/{accountKey}/quota", Status: 200, Origin: Extension, Administrator: true,
		Summary: "Set the limits of an account; data above the limits is kept.",
	}}
	DeleteAccount = Endpoint[AccountInput, None]{Operation{
		ID: "deleteAccount", Method: "DELETE", Path: "/api/v1/admin/accounts/{accountKey}", Status: 204, Origin: Extension, Administrator: true,
		Summary: "Delete an account with all its datasets, models, predictions and files.",
	}}
	ListAuditEvents = Endpoint[ListAuditEventsInput, AuditEventPage]{Operation{
		ID: "listAuditEvents", Method: "GET", Path: "/api/v1/admin/events", Status: 200, Origin: Extension, Administrator: true,
		Summary: "List the audit log, newest first: log-ins, administration, deletions and downloads.",
	}}
	ListJobs = Endpoint[ListJobsInput, JobPage]{Operation{
		ID: "listJobs", Method: "GET", Path: "/api/v1/admin/jobs", Status: 200, Origin: Extension, Administrator: true,
		Summary: "List the running and queued jobs of all accounts.",
	}}
	ListWorkers = Endpoint[None, WorkerList]{Operation{
		ID: "listWorkers", Method: "GET", Path: "/api/v1/admin/workers", Status: 200, Origin: Extension, Administrator: true,
		Summary: "List the live workers.",
	}}
)

// Operations returns all operations, in the order of docs/api.md.
func Operations() []Operation {
	return []Operation{
		LogIn.Operation,
		ListDatasets.Operation, CreateDataset.Operation, GetDataset.Operation, AddData.Operation,
		UploadData.Operation, DeleteDataset.Operation,
		CreateTraining.Operation, ListTrainings.Operation, ListTrainingsOfDataset.Operation, GetTraining.Operation,
		GetTrainingProgress.Operation, CancelTraining.Operation, DeleteTraining.Operation,
		CreatePrediction.Operation, CreatePredictionByForm.Operation, GetPrediction.Operation,
		GetPredictionProgress.Operation, GetPredictionDrift.Operation, ListPredictionsOfModel.Operation, ListPredictionsOfDataset.Operation,
		DownloadResult.Operation, DeletePrediction.Operation,
		ListModelsOfDataset.Operation, GetModel.Operation, GetModelReport.Operation,
		DownloadModel.Operation, SetModelState.Operation, DeleteModel.Operation,
		RequestAccess.Operation, SetPassword.Operation, RequestPassword.Operation, LogOut.Operation,
		ListSessions.Operation, EndSession.Operation, EndOtherSessions.Operation, GetOwnAccount.Operation, ChangePassword.Operation,
		AddSecondFactor.Operation, ConfirmSecondFactor.Operation, RemoveSecondFactor.Operation,
		ListAccessRequests.Operation, ApproveAccessRequest.Operation, RefuseAccessRequest.Operation,
		ListAccounts.Operation, CreateAccount.Operation, GetAccount.Operation, DisableAccount.Operation, EnableAccount.Operation,
		ResetAccount.Operation, RemoveSecondFactorOf.Operation, SetRole.Operation, SetQuota.Operation, DeleteAccount.Operation, ListAuditEvents.Operation,
		ListJobs.Operation, ListWorkers.Operation,
	}
}
