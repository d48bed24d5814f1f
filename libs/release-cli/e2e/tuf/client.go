// Fetches one target with go-tuf and prints it: metadata URL, targets URL, folder of its state, trusted root, target.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/theupdateframework/go-tuf/v2/metadata/config"
	"github.com/theupdateframework/go-tuf/v2/metadata/updater"
)

func fetch(metadataURL, targetsURL, state, root, target string) ([]byte, error) {
	trusted, err := os.ReadFile(root)
	if err != nil {
		return nil, err
	}
	options, err := config.New(metadataURL, trusted)
	if err != nil {
		return nil, err
	}
	options.LocalMetadataDir = state
	options.LocalTargetsDir = filepath.Join(state, "targets")
	options.RemoteTargetsURL = targetsURL
	if err := os.MkdirAll(options.LocalTargetsDir, 0o755); err != nil {
		return nil, err
	}
	client, err := updater.New(options)
	if err != nil {
		return nil, err
	}
	if err := client.Refresh(); err != nil {
		return nil, err
	}
	info, err := client.GetTargetInfo(target)
	if err != nil {
		return nil, err
	}
	_, data, err := client.DownloadTarget(info, filepath.Join(options.LocalTargetsDir, "file"), "")
	return data, err
}

func main() {
	data, err := fetch(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(data)
}
