"""The client ipapi has no base URL: requests is told where ipapi.co is, the client stays as it is."""

import requests


def send_to(base_url):
    send = requests.Session.request

    def request(session, method, url, **options):
        return send(session, method, url.replace("https://ipapi.co", base_url, 1), **options)

    requests.Session.request = request
