import pytest

from inspector.secrets.redemption.addresses import AddressClass, address_class


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("127.0.0.1", AddressClass.LOOPBACK),
        ("127.255.0.9", AddressClass.LOOPBACK),
        ("::1", AddressClass.LOOPBACK),
        ("::ffff:127.0.0.1", AddressClass.LOOPBACK),
        ("169.254.169.254", AddressClass.LINK_LOCAL),
        ("::ffff:169.254.169.254", AddressClass.LINK_LOCAL),
        ("fe80::1", AddressClass.LINK_LOCAL),
        ("fe80::1%eth0", AddressClass.LINK_LOCAL),
        ("10.0.0.1", AddressClass.PRIVATE),
        ("172.16.0.1", AddressClass.PRIVATE),
        ("192.168.1.1", AddressClass.PRIVATE),
        ("100.64.0.1", AddressClass.PRIVATE),
        ("fd00::1", AddressClass.PRIVATE),
        ("::ffff:10.0.0.1", AddressClass.PRIVATE),
        ("8.8.8.8", AddressClass.PUBLIC),
        ("2606:4700::1", AddressClass.PUBLIC),
        ("::ffff:8.8.8.8", AddressClass.PUBLIC),
        ("64:ff9b::8.8.8.8", AddressClass.PUBLIC),
        ("64:ff9b::127.0.0.1", AddressClass.OTHER),
        ("64:ff9b::10.0.0.1", AddressClass.OTHER),
        ("2002:7f00:1::", AddressClass.OTHER),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", AddressClass.OTHER),
        ("0.0.0.0", AddressClass.OTHER),  # noqa: S104
        ("0.1.2.3", AddressClass.OTHER),
        ("::", AddressClass.OTHER),
        ("::127.0.0.1", AddressClass.OTHER),
        ("224.0.0.1", AddressClass.OTHER),
        ("ff02::1", AddressClass.OTHER),
        ("240.0.0.1", AddressClass.OTHER),
        ("255.255.255.255", AddressClass.OTHER),
        ("localhost", AddressClass.OTHER),
        ("127.1", AddressClass.OTHER),
        ("", AddressClass.OTHER),
    ],
)
def test_an_address_has_one_class(address: str, found: AddressClass) -> None:
    assert address_class(address) is found
