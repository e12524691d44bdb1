"""Matrices in buckets of other servers: written, read, replaced, and written by two at once."""

import pytest
from conftest import ROOT, STORE

STUDY = ROOT / "testdata" / "anndata" / "valid" / "0.12.19" / "h5ad" / "full_csr.h5ad"
NAMES = ["m.bpcells", "m.mtx.gz", "m.bsp.h5", "m.bsp", "m.npz", "m.dbdf", "m.rds", "m.zarr"]


@pytest.mark.parametrize("name", NAMES)
def test_a_matrix_is_written_and_read(bucket, tmp_path, name):
    url = f"{bucket.url}/d e/é+%/{name}"
    bucket.good("convert", STORE, url)
    bucket.good("diff", STORE, url)
    bucket.good("info", url)
    bucket.good("validate", url)
    bucket.good("convert", url, tmp_path / name)
    bucket.good("diff", STORE, tmp_path / name)
    error = bucket.refused("convert", STORE, url)
    assert error == f"nnz: {url}: already exists; --force replaces it\n"
    # Others are in the bucket, and what is new replaces all of the old.
    bucket.good("transpose", STORE, url, "--force")
    bucket.good("transpose", url, tmp_path / "back.bpcells")
    bucket.good("diff", STORE, tmp_path / "back.bpcells")


@pytest.mark.parametrize("name", ["s.h5ad", "s.zarr"])
def test_a_whole_study_is_written_and_read(bucket, tmp_path, name):
    url = f"{bucket.url}/{name}"
    bucket.good("convert", STUDY, url)
    bucket.good("diff", f"{STUDY}::X", f"{url}::X")
    bucket.good("convert", url, tmp_path / "back.h5ad")
    bucket.good("diff", f"{STUDY}::layers/counts", f"{tmp_path / 'back.h5ad'}::layers/counts")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a text of 26 MB."""
    path = tmp_path_factory.mktemp("large") / "large.mtx"
    with path.open("w") as out:
        out.write("%%MatrixMarket matrix coordinate integer general\n100000 500 1500000\n")
        out.writelines(f"{33 * n % 99000 + 1 + n % 3} {n // 3000 + 1} {n * 7919 % 100000}\n" for n in range(1_500_000))
    return path


def test_a_large_object_is_written_in_parts(bucket, large):
    url, parts = f"{bucket.url}/parts/large.mtx", {"part_size": str(5 << 20)}
    bucket.good("convert", large, url, "--to", "mtx", options=parts)
    bucket.good("diff", large, url)
    bucket.refused("convert", large, url, options=parts)
    bucket.good("convert", large, url, "--force", options=parts)
    bucket.good("diff", large, url)
    if bucket.name == "moto":
        assert not bucket.client.list_multipart_uploads(Bucket="bucket").get("Uploads")


@pytest.mark.parametrize("name", ["race.bpcells", "race.mtx"])
def test_of_two_writers_one_is_refused(bucket, tmp_path, name):
    url = f"{bucket.url}/{name}"
    turned = tmp_path / "turned.bpcells"
    bucket.good("transpose", STORE, turned)
    running = [(source, bucket.start("convert", source, url)) for source in (STORE, turned)]
    ended = [(source, process.communicate(timeout=120)[1], process.returncode) for source, process in running]
    succeeded = [source for source, _, status in ended if status == 0]
    assert len(succeeded) <= 1, ended
    for _, error, status in ended:
        assert status == 0 or "already exists" in error or "another program" in error, error
    for source in succeeded:
        bucket.good("diff", source, url)
    if not succeeded:
        bucket.good("convert", STORE, url)


def test_what_is_wrong_is_one_clear_error(bucket):
    missing = bucket.refused("info", f"{bucket.url}/none.mtx")
    assert missing == f"nnz: {bucket.url}/none.mtx: no such file or directory\n"
    for verb in (["info"], ["convert", STORE]):
        other = bucket.refused(*verb, f"{bucket.url}-of-another/x.mtx")
        assert other == f"nnz: {bucket.url}-of-another/x.mtx: no such bucket\n"
    if bucket.name == "azurite":
        key = {"account_key": "c29tZXRoaW5nIGVsc2U="}
        refused = bucket.refused("info", f"{bucket.url}/none.mtx", options=key)
        assert "access denied by the server" in refused or "requires valid credentials" in refused, refused
        assert "c29tZXRo" not in refused


def test_a_public_object_is_read_without_credentials(bucket):
    if bucket.name != "moto":
        pytest.skip("the emulator has no public objects")
    bucket.good("convert", STORE, f"{bucket.url}/public.mtx")
    anonymous = {name: bucket.options[name] for name in ("endpoint", "region")}
    options, bucket.options = bucket.options, anonymous
    try:
        refused = bucket.refused("info", f"{bucket.url}/public.mtx")
        assert "the request had no credentials" in refused, refused
        bucket.client.put_object_acl(Bucket="bucket", Key="public.mtx", ACL="public-read")
        bucket.good("diff", STORE, f"{bucket.url}/public.mtx")
    finally:
        bucket.options = options


def test_a_presigned_link_is_read(bucket):
    if bucket.name != "moto":
        pytest.skip("needs another way to sign")
    bucket.good("convert", STORE, f"{bucket.url}/signed.mtx")
    link = bucket.client.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": "signed.mtx"})
    bucket.good("diff", STORE, link)
    assert "Signature" not in bucket.good("info", link)
    assert "Signature" not in bucket.refused("info", link.replace("signed.mtx", "none.mtx"))
