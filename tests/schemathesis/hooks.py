"""What the OpenAPI document cannot say: a session that is there wants a message, a message is not blank, a session has one
header, and an idempotency key is of one request."""

from uuid import uuid4

import schemathesis


@schemathesis.hook
def map_headers(context, headers):
    if headers and "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = str(uuid4())
    return headers


@schemathesis.hook
def filter_case(context, case):
    headers = case.headers or {}
    if {"CHAT_SESSION_ID", "Chat-Session-Id"} <= set(headers):
        return False
    body = case.body
    if case.operation.label != "POST /ai/run" or not isinstance(body, dict):
        return True
    message = body.get("message")
    if isinstance(message, str):
        return message.strip() != ""
    session = headers.get("CHAT_SESSION_ID") or headers.get("Chat-Session-Id")
    return message is not None or not session
