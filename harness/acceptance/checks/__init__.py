"""The checks that come with the harness: settings in, a measured result out."""
