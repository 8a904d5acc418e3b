package server

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"foretell/internal/api"
)

// mountEndpoints mounts the endpoints whose requests and responses are JSON. Each request calls the
// app's method with the name of the endpoint, for some endpoints through a method of s.
func (s *service) mountEndpoints() {
	a := s.app
	mount(s, api.LogIn, s.logIn)

	mount(s, api.ListDatasets, a.ListDatasets)
	mount(s, api.CreateDataset, a.CreateDataset)
	mount(s, api.GetDataset, a.GetDataset)
	mount(s, api.DeleteDataset, a.DeleteDataset)

	mount(s, api.CreateTraining, a.CreateTraining)
	mount(s, api.ListTrainings, a.ListTrainings)
	mount(s, api.ListTrainingsOfDataset, a.ListTrainingsOfDataset)
	mount(s, api.GetTraining, a.GetTraining)
	mount(s, api.GetTrainingProgress, a.GetTrainingProgress)
	mount(s, api.CancelTraining, a.CancelTraining)
	mount(s, api.DeleteTraining, a.DeleteTraining)

	mount(s, api.GetPrediction, a.GetPrediction)
	mount(s, api.GetPredictionProgress, a.GetPredictionProgress)
	mount(s, api.GetPredictionDrift, a.GetPredictionDrift)
	mount(s, api.ListPredictionsOfModel, a.ListPredictionsOfModel)
	mount(s, api.ListPredictionsOfDataset, a.ListPredictionsOfDataset)
	mount(s, api.DeletePrediction, a.DeletePrediction)

	mount(s, api.ListModelsOfDataset, a.ListModelsOfDataset)
	mount(s, api.GetModel, a.GetModel)
	mount(s, api.GetModelReport, a.GetModelReport)
	mount(s, api.SetModelState, a.SetModelState)
	mount(s, api.DeleteModel, a.DeleteModel)

	s.mountAccounts()
}

// mountAccounts mounts the endpoints of accounts and administration.
func (s *service) mountAccounts() {
	a := s.app
	mount(s, api.RequestAccess, a.RequestAccess)
	mount(s, api.SetPassword, s.setPassword)
	mount(s, api.RequestPassword, a.RequestPassword)
	mount(s, api.LogOut, a.LogOut)
	mount(s, api.ListSessions, a.ListSessions)
	mount(s, api.EndSession, a.EndSession)
	mount(s, api.EndOtherSessions, a.EndOtherSessions)
	mount(s, api.GetOwnAccount, a.GetOwnAccount)
	mount(s, api.ChangePassword, a.ChangePassword)
	mount(s, api.AddSecondFactor, a.AddSecondFactor)
	mount(s, api.ConfirmSecondFactor, a.ConfirmSecondFactor)
	mount(s, api.RemoveSecondFactor, a.RemoveSecondFactor)

	mount(s, api.ListAccessRequests, a.ListAccessRequests)
	mount(s, api.ApproveAccessRequest, a.ApproveAccessRequest)
	mount(s, api.RefuseAccessRequest, a.RefuseAccessRequest)
	mount(s, api.ListAccounts, a.ListAccounts)
	mount(s, api.CreateAccount, a.CreateAccount)
	mount(s, api.GetAccount, a.GetAccount)
	mount(s, api.DisableAccount, a.DisableAccount)
	mount(s, api.EnableAccount, a.EnableAccount)
	mount(s, api.ResetAccount, a.ResetAccount)
	mount(s, api.RemoveSecondFactorOf, a.RemoveSecondFactorOf)
	mount(s, api.SetRole, a.SetRole)
	mount(s, api.SetQuota, a.SetQuota)
	mount(s, api.DeleteAccount, a.DeleteAccount)
	mount(s, api.ListAuditEvents, a.ListAuditEvents)
	mount(s, api.ListJobs, a.ListJobs)
	mount(s, api.ListWorkers, a.ListWorkers)
}

// response is the output type of every operation that is registered with huma. A single type saves
// compile time, because huma.Register is a large generic function that is compiled for each type.
type response struct {
	Location string `header:"Location" doc:"The URL of the created resource." hidden:"true"`
	Body     any
}

// operation is a mounted operation.
type operation struct {
	api.Operation
	// register registers the operation with huma.
	register func(to huma.API)
}

// serveOperation returns the handler of an operation. It registers the operation with huma at the
// first request. Registering all operations takes 5 ms, and a command that runs the service in its
// own process calls only a few.
func (s *service) serveOperation(op operation) http.HandlerFunc {
	handler := sync.OnceValue(func() http.Handler {
		rt := &router{writeError: s.writeRouteError}
		own := humago.New(rt, humaConfig(s.opts.Version))
		op.register(own)
		documentNulls(own.OpenAPI(), op.Operation)
		removeNameLengthLimits(own.OpenAPI(), op.Operation)
		return rt
	})
	return func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) }
}

// openAPIDocument returns the OpenAPI document of all operations.
func (s *service) openAPIDocument() *huma.OpenAPI {
	all := humago.New(&router{}, humaConfig(s.opts.Version)) // only for the document; it receives no requests
	for _, op := range s.operations {
		op.register(all)
	}
	completeDocument(all.OpenAPI())
	return all.OpenAPI()
}

// mount mounts an endpoint at its path and its aliases. The function do handles the requests. The
// compiler makes a copy of mount for each pair of types. Therefore code that does not depend on
// these types is in mountOperation and respond.
func mount[In, Out any](s *service, e api.Endpoint[In, Out], do func(context.Context, *In) (*Out, error)) {
	body := reflect.TypeFor[*Out]()
	empty := body == reflect.TypeFor[*api.None]()
	handle := func(ctx context.Context, in *In) (*response, error) {
		out, err := do(ctx, in)
		return s.respond(ctx, out, empty, err)
	}
	s.mountOperation(e.Operation, reflect.TypeFor[In](), body, empty, func(to huma.API, op huma.Operation) { huma.Register(to, op, handle) })
}

// respond returns the response of an operation to huma. out and err are the results of the
// operation. If empty is true, out is not sent.
func (s *service) respond(ctx context.Context, out any, empty bool, err error) (*response, error) {
	if err != nil {
		return nil, &problem{s.toProblem(ctx, err)}
	}
	if empty {
		return nil, nil //nolint:nilnil // huma sends only the status
	}
	return &response{Location: s.createdLocation(ctx, out), Body: out}, nil
}

// mountOperation mounts an operation at its path and its aliases. register registers it with huma.
// The arguments in and body are the types of the input and of the response, and empty reports
// whether the response has no body.
//
// It must not be inlined in mount, which is compiled for each pair of types.
//
//go:noinline
func (s *service) mountOperation(described api.Operation, in, body reflect.Type, empty bool, register func(to huma.API, op huma.Operation)) {
	s.operations = append(s.operations, operation{described, func(to huma.API) {
		for i, path := range append([]string{described.Path}, described.Aliases...) {
			op := s.describeOperation(described, in)
			op.Path = path
			op.Hidden = i > 0 // completeDocument documents aliases
			success := &huma.Response{Description: http.StatusText(op.DefaultStatus)}
			if !empty {
				schema := to.OpenAPI().Components.Schemas.Schema(body, true, op.OperationID+"Response")
				success.Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
			}
			op.Responses = map[string]*huma.Response{strconv.Itoa(op.DefaultStatus): success}
			register(to, op)
			if empty {
				success.Content, success.Headers = nil, nil // huma would describe the field Body
			}
		}
	}})
}

// describeOperation returns the description of an operation for huma. The argument in is the type
// of the operation's input.
func (s *service) describeOperation(op api.Operation, in reflect.Type) huma.Operation {
	_, hasBody := in.FieldByName("Body")
	rules := requestRules{op: op, params: parametersOf(op, in), hasJSONBody: hasBody}
	described := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: operationDescription(op),
		Tags: []string{operationTag(op)}, DefaultStatus: op.Status, Errors: errorStatuses(op, rules),
		Security:    []map[string][]string{{bearerScheme: {}}},
		Middlewares: huma.Middlewares{s.authenticateAndCheck(rules)},
	}
	if op.Public {
		described.Security = []map[string][]string{}
	}
	return described
}

// createdLocation returns the URL of the resource that an operation created, or "" if it created
// none. out is the response of the operation.
func (s *service) createdLocation(ctx context.Context, out any) string {
	path := ""
	switch created := out.(type) {
	case *api.CreatedDataset:
		path = api.PathOf(api.GetDataset.Operation, created.DatasetKey)
	case *api.CreatedTraining:
		path = api.PathOf(api.GetTraining.Operation, created.TrainingJobKey)
	case *api.CreatedPrediction:
		path = api.PathOf(api.GetPrediction.Operation, created.PredictionKey)
	case *api.Invitation:
		path = api.PathOf(api.GetAccount.Operation, created.AccountKey)
	default:
		return ""
	}
	return s.baseURL(requestFromContext(ctx).r) + path
}

// errorStatuses returns the HTTP statuses of errors that the documentation of an
// operation lists.
func errorStatuses(op api.Operation, rules requestRules) []int {
	// Every operation responds with 415 to a Content-Encoding, and with 503 if the store is
	// unavailable.
	statuses := []int{http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable}
	if !op.Public { // 403 if the account must first set up an authenticator app; 429 if it sends too many requests
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	}
	if len(rules.params.keys) > 0 {
		statuses = append(statuses, http.StatusNotFound)
	}
	if rules.hasJSONBody {
		statuses = append(statuses, http.StatusRequestEntityTooLarge)
	}
	switch op.ID {
	case api.LogIn.ID:
		statuses = append(statuses, http.StatusUnauthorized, http.StatusTooManyRequests)
	case api.RequestAccess.ID:
		statuses = append(statuses, http.StatusTooManyRequests)
	case api.RequestPassword.ID:
		statuses = append(statuses, http.StatusConflict, http.StatusTooManyRequests)
	case api.SetPassword.ID:
		statuses = append(statuses, http.StatusForbidden, http.StatusConflict, http.StatusTooManyRequests)
	case api.AddSecondFactor.ID, api.RemoveSecondFactor.ID, api.ConfirmSecondFactor.ID,
		api.CreateAccount.ID, api.ApproveAccessRequest.ID, api.RefuseAccessRequest.ID, api.DisableAccount.ID,
		api.ResetAccount.ID, api.RemoveSecondFactorOf.ID, api.SetRole.ID, api.DeleteAccount.ID,
		api.CreateDataset.ID, api.CreateTraining.ID, api.CancelTraining.ID, api.DeleteTraining.ID,
		api.DeleteDataset.ID, api.DeleteModel.ID, api.DeletePrediction.ID, api.GetPredictionDrift.ID:
		statuses = append(statuses, http.StatusConflict)
	case api.AddData.ID, api.UploadData.ID:
		statuses = append(statuses, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge)
	case api.CreatePrediction.ID, api.CreatePredictionByForm.ID:
		statuses = append(statuses, http.StatusNotFound, http.StatusRequestEntityTooLarge)
	case api.DownloadResult.ID:
		statuses = append(statuses, http.StatusForbidden, http.StatusConflict, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	case api.DownloadModel.ID:
		statuses = append(statuses, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	}
	if op.Method != http.MethodGet { // an operation that writes needs disk space (507)
		statuses = append(statuses, http.StatusInsufficientStorage)
	}
	return append(statuses, http.StatusUnprocessableEntity, http.StatusInternalServerError)
}
