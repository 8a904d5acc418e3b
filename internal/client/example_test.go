package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"foretell/internal/api"
	"foretell/internal/client"
)

// fakeService is a service with two datasets.
func fakeService() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/datasets/{key}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("key") != "key-of-iris" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"title":"Not Found","status":404,"detail":"no such dataset","code":"not-found"}`)
			return
		}
		fmt.Fprint(w, `{"datasetKey":"key-of-iris","datasetName":"iris","status":"COMPLETED","rows":150}`)
	})
	mux.HandleFunc("GET /api/v1/datasets", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"datasets":[{"datasetName":"iris","datasetKey":"1"},{"datasetName":"wine","datasetKey":"2"}],"offset":0,"limit":1000,"total":2}`)
	})
	return httptest.NewServer(mux)
}

func ExampleCall() {
	service := fakeService()
	defer service.Close()
	c, err := client.New(client.Options{BaseURL: service.URL, Token: "token"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	dataset, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: "key-of-iris"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dataset.DatasetName, dataset.Status, dataset.Rows)

	_, err = client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: "unknown"})
	fmt.Println(api.CodeFromError(err), err)
	// Output:
	// iris COMPLETED 150
	// not-found no such dataset
}

func ExampleAllDatasets() {
	service := fakeService()
	defer service.Close()
	c, err := client.New(client.Options{BaseURL: service.URL, Token: "token"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for dataset, err := range client.AllDatasets(context.Background(), c, api.ListDatasetsInput{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(dataset.DatasetName)
	}
	// Output:
	// iris
	// wine
}
