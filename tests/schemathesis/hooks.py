"""What the OpenAPI document cannot say: a session that is there wants a message, and a message is not blank."""

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    body = case.body
    if case.operation.label != "POST /ai/run" or not isinstance(body, dict):
        return True
    message = body.get("message")
    if isinstance(message, str):
        return message.strip() != ""
    session = (case.headers or {}).get("CHAT_SESSION_ID")
    return message is not None or not session
