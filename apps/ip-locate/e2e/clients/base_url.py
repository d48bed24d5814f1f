"""The client ipapi has no setting for the base URL: requests redirects ipapi.co, and the client is unchanged."""

import requests


def send_to(base_url):
    send = requests.Session.request

    def request(session, method, url, **options):
        return send(session, method, url.replace("https://ipapi.co", base_url, 1), **options)

    requests.Session.request = request
