"""Policy files and audit logs."""
