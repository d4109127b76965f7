/** Presses the button of the page of a sign-in link. The link of the local stack belongs to no browser. */
export function pressLink(link: string): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(link);
  return fetch(origin + pathname, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: searchParams.get("token") ?? "" }).toString(),
  });
}
