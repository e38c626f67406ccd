"""The papers' tables and figures as declared runs, and the data sets they need."""
