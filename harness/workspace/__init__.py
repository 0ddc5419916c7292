"""The files of a project as they lie on the disk. Import the module that you need."""
